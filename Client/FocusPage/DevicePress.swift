/// What a page asks for about a device of the group.
package enum DevicePress: Hashable, Sendable {
    /// Another name for this laptop.
    case rename(String)
    /// To shut these out, by their names or the first digits of their keys; with them, where `isOnly` isn't set, those
    /// that the server lists and no laptop has named.
    case revoke([String], isOnly: Bool)
    /// To give the group's key to one that waits for it.
    case accept(String)
    /// To take a revocation back.
    case readmit(String)

    /// What a body asks for.
    package init(parsing body: [UInt8]) throws(PagePress.Malformed) {
        let fields = try PagePress.Fields(parsing: body)
        if let name = try fields.optionalText("rename") {
            self = .rename(name)
        } else if let names = try fields.optionalTexts("revoke") {
            self = .revoke(names, isOnly: try fields.flag("only"))
        } else if let name = try fields.optionalText("accept") {
            self = .accept(name)
        } else {
            self = .readmit(try fields.text("readmit"))
        }
    }
}
