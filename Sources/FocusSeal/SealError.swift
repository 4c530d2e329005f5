/// What went wrong with a key, a seal, an invite or an identity file. It never shows a key, a token or a label.
package struct SealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of trouble, to decide by.
    package enum Code: Hashable, Sendable {
        /// The event is sealed under an epoch whose key is not here (yet).
        case unknownEpoch
        /// The bytes were not sealed under this key with this header, or were altered.
        case notAuthentic
        /// What was sealed does not end in the padding that every sealed action has.
        case malformedPadding
        /// The action is too long to be sealed into an event.
        case bodyTooLong
        /// The body of an epoch's record isn't one.
        case malformedRecord
        /// The record of an epoch was made without the device.
        case notIncluded
        /// Bytes that should be a key, a hash or a certificate are something else.
        case malformedKey
        /// The text does not look like an invite.
        case notAnInvite
        /// The text is an invite with a character wrong, missing or too many.
        case mistypedInvite
        /// The invite was made by a newer version.
        case newerInvite
        /// A file could not be read or written.
        case file
        /// Others than its owner may read the identity file.
        case exposedFile
        /// OpenSSL refused; `context` says which operation, and why.
        case library
    }

    /// What a caller decides by, rather than by the words.
    package let code: Code
    /// What was being done, for people. No secrets.
    package let context: String

    /// An error of this kind; `context` is shown to people, so no secret may be in it.
    package init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    package var description: String { context }
}
