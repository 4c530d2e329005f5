package import Synchronization

/// A shared library that the program isn't linked with. Only code that needs the library opens it, so that
/// other commands don't wait until it and its dependencies are loaded. It stays open until the process ends.
package struct SharedLibrary {
    /// The handle that dlopen(3) returns and dlsym(3) takes.
    package let handle: UnsafeMutableRawPointer

    /// The reason that a library can't be used.
    package struct Failure: Error, Hashable, Sendable {
        /// The system's message.
        package let reason: String

        /// An error with the system's latest message.
        package init() {
            // dlerror(3) reports only calls of the same thread.
            reason = dlerror().map { String(cString: $0) } ?? ""
        }
    }

    /// Opens the library, or uses it if it is open already.
    ///
    /// - Parameter name: The name with the version of its ABI, such as `libssl.so.3` (`ldconfig -p` lists the
    ///   names).
    /// - Throws: `Failure` if the library, or another one that it needs, isn't installed.
    package init(_ name: String) throws(Failure) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Failure() }
        self.handle = handle
    }
}

extension SharedLibrary {
    /// Stores the addresses of a library's functions. Returns whether all of them were found.
    package typealias Finding<Functions> = (UnsafeMutableRawPointer, UnsafeMutablePointer<Functions>) -> Bool

    /// Returns the library's functions.
    ///
    /// - Throws: `Failure` if one of them is missing.
    package func functions<Functions>(_ find: Finding<Functions>) throws(Failure) -> Functions {
        let functions = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        guard find(handle, functions) else { throw Failure() }
        return functions.pointee
    }

    /// Returns a pointer to the library's functions, which are stored permanently: copying the whole table
    /// for a call may take longer than the call.
    ///
    /// - Parameter address: The address of the stored functions, which all callers share. 0 until the first
    ///   caller has stored them.
    package func functions<Functions>(
        at address: borrowing Atomic<UInt>, _ find: Finding<Functions>
    ) throws(Failure) -> UnsafePointer<Functions> {
        let found = try functions(find)
        let own = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        own.initialize(to: found)
        // Another thread may have stored the functions meanwhile.
        let (isFirst, other) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: own), ordering: .acquiringAndReleasing)
        if !isFirst { own.deallocate() }
        return UnsafePointer(bitPattern: other) ?? UnsafePointer(own)
    }
}
