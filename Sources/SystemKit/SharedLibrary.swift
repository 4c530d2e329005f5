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
