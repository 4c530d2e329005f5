import FocusCore
import SystemKit

/// The file that keeps a device's or a server's identity: PEM, readable by its owner alone.
package struct IdentityFile: Sendable {
    /// Where the file is, or will be.
    package let path: String

    /// The file at this path. It isn't looked at yet.
    package init(path: String) { self.path = path }

    /// No identity file is longer, in bytes.
    private static let sizeLimit = 16_384

    /// The identity in the file; nil where there is no file.
    ///
    /// - Throws: `SealError.Code.exposedFile` where others may read or write the file, `.malformedKey` where it
    ///   holds something else, `.file`.
    package func load() throws(SealError) -> DeviceIdentity? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("can't be opened")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("can't be examined") }
        guard status.st_mode & 0o077 == 0 else {
            throw SealError(.exposedFile, "\(path) may be read by others: set its mode to 0600 (chmod 600)")
        }
        guard status.st_size <= IdentityFile.sizeLimit else {
            throw SealError(.malformedKey, "\(path) is too long to be an identity")
        }
        let pem = try SecretBytes(count: Int(status.st_size)) { buffer throws(SealError) in
            var filled = 0
            while filled < buffer.count {
                let count = read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
                guard count > 0 else { throw failure("can't be read") }
                filled += count
            }
        }
        do throws(SealError) {
            return try DeviceIdentity(pem: pem)
        } catch {
            throw SealError(error.code, "\(path) holds no whole identity: \(error.context)")
        }
    }

    /// Writes the file, durably, with mode 0600. It appears whole or not at all.
    ///
    /// - Returns: false where there is such a file already, which stays as it is.
    /// - Throws: `SealError.Code.file`.
    package func create(_ identity: DeviceIdentity) throws(SealError) -> Bool {
        let pem = try identity.pem()
        let name = hexadecimal(try SecretBytes.random(count: 8).exposed())
        let temporary = "\(path).\(name).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("can't be created") }
        defer {
            close(descriptor)
            unlink(temporary)
        }
        try pem.withBytes { text throws(SealError) in
            let written = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written == text.byteCount else { throw failure("can't be written") }
        }
        guard fsync(descriptor) == 0 else { throw failure("can't be made durable") }
        // Linking, unlike renaming, leaves a file that another process made meanwhile.
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            throw failure("can't be created")
        }
        try FolderNames(of: path).makeDurable()
        return true
    }

    /// The identity in the file, which is made where there is none.
    ///
    /// - Throws: as `load` and `create` do.
    package func loadOrCreate() throws(SealError) -> DeviceIdentity {
        if let identity = try load() { return identity }
        let identity = try DeviceIdentity.generate()
        if try create(identity) { return identity }
        guard let other = try load() else { throw failure("was removed meanwhile") }
        return other
    }

    private func failure(_ what: String) -> SealError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "unknown error"
        return SealError(.file, "\(path) \(what): \(reason)")
    }
}

/// The names in a file's folder.
package struct FolderNames: Sendable {
    private let folder: String

    /// Those beside the file at `path`.
    package init(of path: String) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Has them survive a loss of power: a file that was made, renamed or removed there stays so.
    ///
    /// - Throws: `SealError.Code.file`, which names the folder.
    package func makeDurable() throws(SealError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure }
    }

    private var failure: SealError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "unknown error"
        return SealError(.file, "\(folder) can't be made durable: \(reason)")
    }
}
