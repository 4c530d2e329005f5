package import Synchronization

/// A shared library that the program isn't linked with: it is opened by who needs it, so that nobody else waits for it and
/// for those that it brings along. Once opened it stays so until the process ends.
package struct SharedLibrary {
    /// As dlopen(3) gives it and dlsym(3) takes it.
    package let handle: UnsafeMutableRawPointer

    /// Why a library can't be used.
    package struct Failure: Error, Hashable, Sendable {
        /// What the system says of it.
        package let reason: String

        /// What the system said last.
        package init() {
            // It tells a thread of that thread's own calls.
            reason = dlerror().map { String(cString: $0) } ?? ""
        }
    }

    /// Opens it, or takes it as it was opened before.
    ///
    /// - Parameter name: as `ldconfig -p` lists it, with the version of what its functions are like.
    /// - Throws: where it isn't installed, or another one that it needs.
    package init(_ name: String) throws(Failure) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Failure() }
        self.handle = handle
    }
}

extension SharedLibrary {
    /// Writes down where the functions of a library are; says whether all of them were found.
    package typealias Finding<Functions> = (UnsafeMutableRawPointer, UnsafeMutablePointer<Functions>) -> Bool

    /// Its functions.
    ///
    /// - Throws: where one of them isn't there.
    package func functions<Functions>(_ find: Finding<Functions>) throws(Failure) -> Functions {
        let functions = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        guard find(handle, functions) else { throw Failure() }
        return functions.pointee
    }

    /// The same, written down for good: copying all of them for a call may take longer than the call does.
    ///
    /// - Parameter address: where they stand from then on, whoever was the first to write them down; 0 until then.
    package func functions<Functions>(
        at address: borrowing Atomic<UInt>, _ find: Finding<Functions>
    ) throws(Failure) -> UnsafePointer<Functions> {
        let found = try functions(find)
        let own = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        own.initialize(to: found)
        // Another thread may have found the same meanwhile.
        let (isFirst, other) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: own), ordering: .acquiringAndReleasing)
        if !isFirst { own.deallocate() }
        return UnsafePointer(bitPattern: other) ?? UnsafePointer(own)
    }
}
