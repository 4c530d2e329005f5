/// An invite that the server knows of.
package struct MadeInvite: Sendable {
    /// The line that lets a laptop in. A secret.
    package let text: String
    /// What a person should know besides.
    package let notices: [SyncNotice]

    /// An invite that the server has just taken.
    package init(text: String, notices: [SyncNotice]) {
        self.text = text
        self.notices = notices
    }

    /// For how long it is good.
    package static let lifetime = Duration.seconds(15 * 60)
}
