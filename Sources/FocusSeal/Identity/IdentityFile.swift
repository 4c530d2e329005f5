import FocusCore
import SystemKit

/// The file of a device's or a server's identity: PEM, readable by its owner only.
package struct IdentityFile: Sendable {
    /// The path of the file, which may not exist yet.
    package let path: String

    /// The file at this path. This doesn't open it.
    package init(path: String) { self.path = path }

    /// The greatest length of an identity file, in bytes.
    private static let sizeLimit = 16_384

    /// Returns the identity in the file, or nil if there is no file.
    ///
    /// - Throws: `SealError.Code.exposedFile` if others may read or write the file, `.malformedKey` if it
    ///   doesn't contain an identity, `.file` if it can't be read.
    package func load() throws(SealError) -> DeviceIdentity? {
        guard let descriptor = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
            if errno == ENOENT { return nil }
            throw failure("can't be opened")
        }
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw failure("can't be examined") }
        guard status.st_mode & 0o077 == 0 else {
            throw SealError(.exposedFile, "\(path) may be read by others: set its mode to 0600 (chmod 600)")
        }
        guard status.st_size <= IdentityFile.sizeLimit else {
            throw SealError(.malformedKey, "\(path) is too long to be an identity")
        }
        let file = FileDescriptor(descriptor.number, named: path)
        let pem = try SecretBytes(count: Int(status.st_size)) { buffer throws(SealError) in
            do throws(SystemError) { try file.fill(buffer) } catch { throw SealError(error) }
        }
        do throws(SealError) {
            return try DeviceIdentity(pem: pem)
        } catch {
            throw SealError(error.code, "\(path) holds no whole identity: \(error.context)")
        }
    }

    /// Writes the file durably, with mode 0600. The file appears complete or not at all.
    ///
    /// - Returns: False if the file exists already; it then stays unchanged.
    /// - Throws: `SealError.Code.file` if the file can't be written, `.library` if OpenSSL fails.
    package func create(_ identity: DeviceIdentity) throws(SealError) -> Bool {
        let pem = try identity.pem()
        let name = hexadecimal(try SecretBytes.random(count: 8).exposed())
        let temporary = "\(path).\(name).new"
        guard let descriptor = OwnedDescriptor(NewFile.open(temporary, O_WRONLY | O_EXCL)) else {
            throw failure("can't be created")
        }
        defer { unlink(temporary) }
        let file = FileDescriptor(descriptor.number, named: path)
        do throws(SystemError) {
            try pem.withBytes { text throws(SystemError) in try file.write(text) }
            try file.makeDurable()
        } catch {
            throw SealError(error)
        }
        // Linking, unlike renaming, doesn't replace a file that another process made meanwhile.
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            throw failure("can't be created")
        }
        do throws(SystemError) { try FolderEntries(of: path).makeDurable() } catch { throw SealError(error) }
        return true
    }

    /// Returns the identity in the file. If there is no file, makes an identity and writes it.
    ///
    /// - Throws: The errors of `load` and `create`.
    package func loadOrCreate() throws(SealError) -> DeviceIdentity {
        if let identity = try load() { return identity }
        let identity = try DeviceIdentity.generate()
        if try create(identity) { return identity }
        guard let other = try load() else { throw failure("was removed meanwhile") }
        return other
    }

    /// Returns an error with the `errno` of the last failed call.
    private func failure(_ problem: String) -> SealError { SealError(SystemError("\(path) \(problem)")) }
}

extension SealError {
    /// An error for a file that could not be read or written.
    fileprivate init(_ error: SystemError) { self.init(.file, "\(error)") }
}
