package import CommandLineKit
import FocusContact
package import FocusDevice
package import FocusFront
import FocusLink
import FocusSeal
import FocusStore
import FocusText
package import QRKit
import SystemKit

/// `focus join`: makes this laptop part of a group.
struct JoinCommand {
    let request: JoinRequest

    /// Joins. If there is a terminal and no option makes the choice, first asks what to do with the history recorded
    /// outside a group, and at the end whether to shut out the laptop's former self. Only the group's log names that.
    func run(in context: CommandContext) throws(CommandFailure) {
        let invite = try request.source.invite(context)
        var choice = request.choice ?? .takeAlong
        if request.choice == nil, let device = try context.readDevice() {
            let question = try device.using { device throws(StoreError) in
                try SoloHistoryQuestion(invite, device)
            }
            if let question { choice = try question.choice(context.console) }
        }
        let joined = try mapOperationError { () throws(GroupOperationError) in
            try context.operations.join(invite, called: request.name, choice, cancellation: Cancellation())
        }
        try context.print(context.console.prose("\(joined.sentence)\n"))
        if joined.isFirst {
            try context.print(
                context.console.prose(
                    "Let the next one in with 'focus invite' here, and 'focus join INVITE' there.\n"))
        }
        if let namesake = joined.namesakeSentence(RenameCommand.remedy) {
            context.console.report(namesake)
        }
        context.console.report(joined.notices)
        try joined.former?.offerRevocation(in: context, mayAsk: request.choice == nil)
    }
}

extension SoloHistoryQuestion {
    /// Asks the person for the choice. Without a terminal the history is left behind, so that the group
    /// doesn't see it.
    ///
    /// - Throws: `CommandFailure` if the person ends the input instead.
    package func choice(_ console: Console) throws(CommandFailure) -> SoloHistory.Choice {
        switch console.agrees((sentences + [SoloHistoryQuestion.question]).joined(separator: "\n")) {
        case .yes: return .takeAlong
        case .no, .nobody: return .leaveBehind
        case .ended: throw CommandFailure("Nothing was changed: this laptop is still in no group.", .notNow)
        }
    }
}

extension InviteSource {
    /// Reads the invite. Asks for it if there is a terminal.
    fileprivate func invite(_ context: CommandContext) throws(CommandFailure) -> Invite {
        switch self {
        case .argument(let text): return try Invite(handedIn: text)
        case .standardInput:
            if let invite = try InviteSource.typedInvite(context) { return invite }
            return try InviteSource.pipedInvite(context)
        }
    }

    /// Asks a person for the invite until it is complete, because a wrapped invite has several lines.
    ///
    /// - Returns: The invite; nil if there is no terminal.
    private static func typedInvite(_ context: CommandContext) throws(CommandFailure) -> Invite? {
        let console = context.console
        var text = ""
        while true {
            // Lines that were pasted together with the last one need no prompt.
            let isBegun = !text.isEmpty
            let prompt = isBegun ? "Paste the rest of the invite: " : "Paste the invite and press Enter: "
            switch console.ask(isBegun && console.hasMoreInput() ? "" : prompt) {
            case .nobody: return nil
            case .ended:
                throw CommandFailure("No invite was given, so nothing was changed.", .notNow)
            case .line(let line):
                let isEmpty = line.allSatisfy(\.isWhitespace)
                if isEmpty, !isBegun { continue }
                text += line
                do throws(SealError) {
                    return try Invite(text)
                } catch {
                    if error.code == .mistypedInvite, !isEmpty { continue }
                    console.report(GroupOperationError(.seal(error)).asCommandFailure().message)
                    text = ""
                }
            }
        }
    }

    /// Reads standard input up to the end of the first complete invite.
    private static func pipedInvite(_ context: CommandContext) throws(CommandFailure) -> Invite {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let source = try context.open("-")
            while true {
                let chunk = try source.next()
                if chunk.isEmpty { break }
                bytes += chunk
                if chunk.last == UInt8(ascii: "\n"),
                    let invite = try? Invite(String(decoding: bytes, as: UTF8.self))
                {
                    return invite
                }
            }
        } catch {
            throw CommandFailure(error)
        }
        return try Invite(handedIn: String(decoding: bytes, as: UTF8.self))
    }
}

/// `focus invite`: lets another laptop join.
struct InviteCommand {
    /// Whether the invite is shown as a QR code too.
    let showsCode: Bool

    /// Prints the invite as its last line.
    func run(in context: CommandContext) throws(CommandFailure) {
        if showsCode { try PublishedInvite.requireCodes() }
        let invite = try mapOperationError { () throws(GroupOperationError) in try context.operations.invite()
        }
        try invite.show(showsCode: showsCode, in: context)
    }
}

extension PublishedInvite {
    /// Throws if no QR codes can be made here, so that no invite is made in vain.
    static func requireCodes() throws(CommandFailure) {
        do throws(QRCode.Failure) { _ = try QRCode("1") } catch { throw CommandFailure(error) }
    }

    /// Prints the invite, and says how to use it.
    func show(showsCode: Bool, in context: CommandContext) throws(CommandFailure) {
        if showsCode {
            let code: QRCode
            do throws(QRCode.Failure) { code = try QRCode(codeText) } catch {
                throw CommandFailure(error)
            }
            try context.print(code.text)
        }
        context.console.report(
            "\(PublishedInvite.sentence(madeAt: context.clocks.wall())) On that laptop: focus join -, or paste it under Devices (J in the full screen)"
        )
        if let linkSentence { context.console.report(linkSentence) }
        try context.print("\(text)\n")
        context.console.report(notices)
    }
}

extension CommandFailure {
    /// The failure to make a QR code.
    package init(_ failure: QRCode.Failure) {
        switch failure {
        case .noLibrary(let reason):
            self.init(
                "A QR code needs the library libqrencode, which can't be opened (\(reason)). Install its package, called libqrencode4 on Debian and Ubuntu, or leave out --qr."
            )
        case .unsuitableText: self.init("The invite is too long for a QR code. Leave out --qr.")
        }
    }
}

/// `focus leave`: leaves the group, and keeps a readable copy of its log.
struct LeaveCommand: WritingCommand {
    /// Whether to skip the questions.
    let isSure: Bool

    /// Asks for consent if there is a terminal, and again if the server can't be told.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        try mapFailure { () throws(DeviceFailure) in try device.requireGroup() }
        let (isOnlyMember, isServer) = try device.using { device throws(StoreError) in
            (try device.isOnlyMember(), try device.isSharingGroup())
        }
        try consent(
            to: GroupQuestion.leave(isOnlyMember: isOnlyMember, isServer: isServer), in: context)
        var othersKnow = false
        do throws(CommandFailure) {
            othersKnow = try mapOperationError { () throws(GroupOperationError) in
                try context.operations.leave()
            }
        } catch {
            for sentence in error.notes { context.console.report(sentence) }
            let loss = try device.lossOfLeaving(after: error.message)
            // The question includes the loss. If the question is skipped, the loss is reported instead.
            if isSure { context.console.report(loss) }
            try consent(to: GroupQuestion.leaveUntold(loss), in: context)
        }
        for sentence in try device.leave(othersKnow: othersKnow) { context.console.report(sentence) }
        // The question says this too.
        if isSure, isServer { context.console.report(GroupQuestion.serverStays(isOnlyMember: isOnlyMember)) }
    }

    private func consent(to question: String, in context: CommandContext) throws(CommandFailure) {
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("This laptop stays in the group.", .notNow)
        }
    }
}

/// `focus sync`: syncs with the server now.
struct SyncCommand {
    let json: Bool

    /// Prints the number of changes sent and received. Fails if the server hasn't taken all changes.
    func run(in context: CommandContext) throws(CommandFailure) {
        let outcome = try mapOperationError { () throws(GroupOperationError) in try context.operations.sync()
        }
        let traffic = outcome.traffic
        if json {
            let object = JSON.object([
                JSON.Member("sent", .integer(traffic.sent)),
                JSON.Member("received", .integer(traffic.received)),
                JSON.Member("notices", .array(outcome.notices.map { .string($0.sentence) })),
            ])
            try context.print("\(object)\n")
        } else {
            let state = outcome.unsent == nil ? "In sync" : "Not in sync"
            try context.print(
                "\(state): \(counted(traffic.sent, "change")) sent, \(traffic.received) received.\n")
            context.console.report(outcome.notices.filter { $0.sentence != outcome.unsent?.sentence })
        }
        if let unsent = outcome.unsent { throw CommandFailure(unsent.sentence, .refused) }
    }
}
