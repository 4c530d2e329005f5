import CommandLineKit
import FocusContact
import FocusCore
package import FocusDevice
import FocusFront
package import FocusLink
package import FocusSeal
import FocusStore
import FocusText
import QRKit

/// A group operation that a page asks for, after the questions before it.
package enum PageOperation: Sendable {
    /// Revokes devices, given as in `DevicePress`.
    case revoke([String], revokesOnlyNamed: Bool)
    /// Gives the group's key to the device of this word.
    case accept(String)
    /// Readmits the revoked device of this word.
    case readmit(String)
    /// Makes an invite for another device. `page`: The address of the page that asks, for the link of an invite of a
    /// device in a browser.
    case invite(page: String?)
    /// Joins a group.
    case join(Invite, SoloHistory.Choice)
    /// Begins to share.
    case share
    /// Leaves the group. `isUntold`: Even if the server can't be told.
    case leave(isUntold: Bool)

    /// The maximum number of operations at the same time.
    package static let limit = 4

    /// Whether the device is joining a group until it is over (`PageDevice.isJoining`).
    package var isJoining: Bool {
        switch self {
        case .join, .share: true
        case .revoke, .accept, .readmit, .invite, .leave: false
        }
    }
}

// MARK: - A device that doesn't wait

extension PageOperation {
    /// The first step of an operation on a device that doesn't wait for the server.
    package enum Start {
        /// The operation is over, with this answer.
        case answer(PageAnswer)
        /// The server has to be asked for this. The function makes the answer from the result.
        case request(GroupOperation, answer: AnswerMaker)
    }

    /// Makes the answer from the result of a group operation.
    package typealias AnswerMaker = (Result<GroupOperationResult, GroupOperationError>) throws(PageError) ->
        PageAnswer

    /// Begins the operation on a device in a browser.
    package func start(on device: Device) throws(PageError) -> Start {
        switch self {
        case .revoke(let words, let revokesOnlyNamed):
            let found = try mapError(PageError.command) { () throws(CommandFailure) in
                let found = try device.revocable(words, revokesOnlyNamed: revokesOnlyNamed)
                try device.using { device throws(StoreError) in try device.markNew(found) }
                return found
            }
            return .request(.revoke(found.keys)) { result throws(PageError) in
                .success(
                    try PageOperation.sentences { () throws(CommandFailure) in
                        try found.sentences(after: result)
                    })
            }
        case .accept(let word):
            let found = try mapError(PageError.command) { () throws(CommandFailure) in
                try device.acceptable(word)
            }
            return .request(.accept(found.key)) { result throws(PageError) in
                .success(
                    try PageOperation.sentences { () throws(CommandFailure) in
                        try found.sentences(afterAcceptance: result)
                    })
            }
        case .readmit(let word):
            return .answer(
                .success(
                    try PageOperation.sentences { () throws(CommandFailure) in try device.readmission(word) })
            )
        case .invite(let page):
            let secret = try mapError(PageError.command) { () throws(CommandFailure) in
                try mapOperationError { () throws(GroupOperationError) in try InviteSecret(drawnBy: device) }
            }
            return .request(.invite(secret)) { result throws(PageError) in
                try PageOperation.invite { () throws(GroupOperationError) in
                    let done = try result.get()
                    let membership: Membership?
                    do throws(StoreError) { membership = try Membership(device) } catch {
                        throw GroupOperationError(error)
                    }
                    return try PublishedInvite(secret, of: membership, at: page, notices: done.notices)
                }
            }
        case .join(let invite, let choice):
            return .request(.join(invite, name: nil, choice)) { result throws(PageError) in
                try PageOperation.join { () throws(GroupOperationError) in
                    let done = try result.get()
                    do throws(StoreError) {
                        return try JoinResult(
                            device, with: invite, online: done.online, notices: done.notices)
                    } catch {
                        throw GroupOperationError(error)
                    }
                }
            }
        case .share:
            throw .command(
                CommandFailure("A browser can't be a server for the others, so it can't share.", .notNow))
        case .leave(isUntold: true): return .answer(try PageOperation.leave(device, after: .success(false)))
        case .leave(isUntold: false):
            return .request(.leave) { result throws(PageError) in
                try PageOperation.leave(device, after: result.map { $0.othersKnow })
            }
        }
    }

    private static func leave(
        _ device: Device, after othersKnow: Result<Bool, GroupOperationError>
    ) throws(PageError) -> PageAnswer {
        try leave { () throws(CommandFailure) in try device.leave(after: othersKnow) }
    }
}

// MARK: - The answers

extension PageOperation {
    /// Returns the sentences of `body` in one line.
    static func sentences(_ body: () throws(CommandFailure) -> [String]) throws(PageError) -> String {
        try mapError(PageError.command) { () throws(CommandFailure) in try body().line }
    }

    /// Returns the answer with the invite of `body`.
    static func invite(
        _ body: () throws(GroupOperationError) -> PublishedInvite
    ) throws(PageError) -> PageAnswer {
        let invite = try mapError(PageError.command) { () throws(CommandFailure) in
            try mapOperationError(body)
        }
        return .json(200, JSON.object(members(of: invite)).description)
    }

    /// Returns the answer about the group that was joined by `body`.
    static func join(
        _ body: () throws(GroupOperationError) -> JoinResult
    ) throws(PageError) -> PageAnswer {
        let joined = try mapError(PageError.command) { () throws(CommandFailure) in
            try mapOperationError(body)
        }
        let former = joined.former.map { former in
            JSON.object([
                JSON.Member("key", .string(former.key.hexadecimal)),
                JSON.Member("question", .string(GroupQuestion.revoke(former))),
            ])
        }
        return .success(
            joined.sentences(remedy: "The field below").joined(separator: "\n"),
            [
                JSON.Member("namesake", .bool(joined.hasNamesake)), JSON.Member("former", former ?? .null),
            ])
    }

    /// Returns the answer about the group that was left by `body`. If the server couldn't be told, throws the
    /// question whether to leave all the same.
    static func leave(_ body: () throws(CommandFailure) -> LeaveResult) throws(PageError) -> PageAnswer {
        switch try mapError(PageError.command, body) {
        case .done(let sentences): return .success(sentences.lines.joined(separator: "\n"))
        case .question(let question): throw .needsConfirmation(.leaveUntold(question))
        }
    }

    /// Returns the members of an answer with an invite.
    static func members(of invite: PublishedInvite) -> [JSON.Member] {
        [
            JSON.Member("invite", .string(invite.text)),
            JSON.Member("link", .optional(invite.link)),
            JSON.Member("lifetimeMs", .milliseconds(PublishedInvite.lifetime)),
            JSON.Member("code", code(of: invite)),
        ]
    }

    /// Returns the QR code of an invite as rows of digits, or `null` if the library for it isn't installed.
    private static func code(of invite: PublishedInvite) -> JSON {
        guard let code = try? QRCode(invite.codeText) else { return .null }
        return .array(code.rows.map { row in .string(row.map { $0 ? "1" : "0" }.joined()) })
    }
}

extension Device {
    /// Readmits the device of a word, and returns the sentences about that.
    func readmission(_ word: String) throws(CommandFailure) -> [String] {
        let done = try readmit(word)
        return [
            done.readmission,
            PageText.afterReadmission(isRefused: try isRefusedByServer(done.key)),
        ]
    }
}

extension InviteSecret {
    /// A new secret from a device's random bytes.
    fileprivate init(drawnBy device: Device) throws(GroupOperationError) {
        do throws(SealError) {
            guard let secret = InviteSecret(try device.platform.random(InviteSecret.length)) else {
                throw SealError(.malformedKey, "an invite's secret has the wrong length")
            }
            self = secret
        } catch {
            throw GroupOperationError(.seal(error))
        }
    }
}

// MARK: - Requests

/// A request about a device of the group.
package enum DevicePress: Hashable, Sendable {
    /// Renames this laptop.
    case rename(String)
    /// Revokes devices, given by their names or the first digits of their keys. Unless `revokesOnlyNamed` is
    /// set, it also revokes the devices that only the server lists.
    case revoke([String], revokesOnlyNamed: Bool)
    /// Gives the group's key to a device that waits for it.
    case accept(String)
    /// Readmits a revoked device.
    case readmit(String)

    /// The request in a body.
    package init(parsing body: [UInt8]) throws(PagePress.Malformed) {
        let fields = try PagePress.Fields(parsing: body)
        if let name = try fields.optionalText("rename") {
            self = .rename(name)
        } else if let names = try fields.optionalTexts("revoke") {
            self = .revoke(names, revokesOnlyNamed: try fields.flag("only"))
        } else if let name = try fields.optionalText("accept") {
            self = .accept(name)
        } else {
            self = .readmit(try fields.text("readmit"))
        }
    }
}

/// A request about joining a group.
package enum JoinPress: Hashable, Sendable {
    /// Joins with a pasted invite. `takesAlong`: Whether history that was recorded in no group comes along;
    /// nil to ask.
    case join(String, takesAlong: Bool?)
    /// Gives up the join that is under way.
    case giveUp

    /// The request in a body.
    package init(parsing body: [UInt8]) throws(PagePress.Malformed) {
        let fields = try PagePress.Fields(parsing: body)
        if try fields.flag("giveUp") {
            self = .giveUp
        } else {
            let takesAlong = fields.contains("takeAlong") ? try fields.flag("takeAlong") : nil
            self = .join(try fields.text("invite"), takesAlong: takesAlong)
        }
    }
}
