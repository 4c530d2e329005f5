package import FocusSeal

extension DataFolder {
    /// The server's key and certificate.
    package func loadIdentity() throws -> DeviceIdentity {
        guard let identity = try IdentityFile(path: identity).load() else {
            throw FolderFailure.noKey(identity)
        }
        return identity
    }

    /// The server's key, and the one that it announces where it does.
    func loadIdentities() throws -> [DeviceIdentity] {
        try [loadIdentity()] + (IdentityFile(path: nextIdentity).load().map { [$0] } ?? [])
    }
}
