/// An error of a key, of sealing, of an invite or of an identity file. It never contains a key, a token or a
/// label.
package struct SealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, by which a caller decides.
    package enum Code: Hashable, Sendable {
        /// The key of the event's epoch is not here (yet).
        case unknownEpoch
        /// The bytes were not sealed under this key with this header, or were altered.
        case notAuthentic
        /// The decrypted action does not end in the padding that every sealed action has.
        case malformedPadding
        /// The action is too long to be sealed into an event.
        case bodyTooLong
        /// The bytes are no valid body of an epoch's record.
        case malformedRecord
        /// The record of an epoch was made without the device.
        case notIncluded
        /// Bytes that should be a key, a hash or a certificate are something else.
        case malformedKey
        /// The text does not look like an invite.
        case notAnInvite
        /// The text is an invite with a wrong, missing or additional character.
        case mistypedInvite
        /// The invite was made by a newer version.
        case newerInvite
        /// A file could not be read or written.
        case file
        /// Users other than its owner may read the identity file.
        case exposedFile
        /// The library for hashes and keys failed or isn't installed. `context` names the operation and the
        /// reason.
        case library
    }

    /// The kind of error. Callers decide by it and not by the text.
    package let code: Code
    /// The attempted action, for people. Contains no secrets.
    package let context: String

    /// An error of this kind. `context` is shown to people, so it must not contain a secret.
    package init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    package var description: String { context }
}
