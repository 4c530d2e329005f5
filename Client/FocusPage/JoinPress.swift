/// What a page asks for about joining a group.
package enum JoinPress: Hashable, Sendable {
    /// To join with an invite, as it was pasted; `takesAlong`: whether what was recorded alone comes along, nil where that
    /// is to be asked.
    case join(String, takesAlong: Bool?)
    /// To wait no longer.
    case giveUp

    /// What a body asks for.
    package init(parsing body: [UInt8]) throws(PagePress.Malformed) {
        let fields = try PagePress.Fields(parsing: body)
        if try fields.flag("giveUp") {
            self = .giveUp
        } else {
            let takesAlong = fields.has("takeAlong") ? try fields.flag("takeAlong") : nil
            self = .join(try fields.text("invite"), takesAlong: takesAlong)
        }
    }
}
