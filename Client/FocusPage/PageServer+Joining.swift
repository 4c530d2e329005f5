import CommandLineKit
import FocusContact
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusSeal
import FocusStore
import FocusText

// Joining and leaving a group.
extension PageServer {
    /// Joins a group, or gives up joining. If a question must be asked first, answers with the question and
    /// does nothing else.
    func join(_ exchange: HTTPExchange) throws(PageError) {
        let body = exchange.request.body
        switch try mapError(
            PageError.malformed, { () throws(PagePress.Malformed) in try JoinPress(parsing: body) })
        {
        case .giveUp:
            joining?.giveUp()
            exchange.send(HTTPResponse(204))
        case .join(let text, let takesAlong): try join(exchange, text, takesAlong)
        }
    }

    private func join(
        _ exchange: HTTPExchange, _ text: String, _ takesAlong: Bool?
    ) throws(PageError) {
        guard joining == nil else { throw .isJoining }
        try mapError(PageError.device) { () throws(DeviceFailure) in try device.requireNoGroup() }
        let invite = try mapError(PageError.command) { () throws(CommandFailure) in
            try Invite(handedIn: text)
        }
        let question =
            takesAlong == nil
            ? try mapError(PageError.device) { () throws(DeviceFailure) in
                try device.attempt { device throws(StoreError) in try SoloHistoryQuestion(invite, device) }
            } : nil
        if let question { throw .needsConfirmation(.takeAlong(question)) }
        // Without a question, nobody agreed to show work to the group. So work that is recorded here before
        // the join takes effect is left behind.
        let choice: SoloHistory.Choice = takesAlong ?? false ? .takeAlong : .leaveBehind
        let cancellation = Cancellation()
        joining = cancellation
        try run(for: exchange) { operations, _ throws(PageError) in
            let joined = try mapError(PageError.command) { () throws(CommandFailure) in
                try mapOperationError { () throws(GroupOperationError) in
                    try operations.join(invite, called: nil, choice, cancellation: cancellation)
                }
            }
            let sentences = joined.sentences(remedy: "The field below")
            return .success(
                sentences.joined(separator: "\n"), [JSON.Member("namesake", .bool(joined.hasNamesake))])
        } whenOver: { server in
            server.joining = nil
        }
    }

    /// Shares from this laptop, and answers with an invite for another one.
    func share(_ exchange: HTTPExchange) throws(PageError) {
        guard joining == nil else { throw .isJoining }
        let cancellation = Cancellation()
        joining = cancellation
        try run(for: exchange) { operations, _ throws(PageError) in
            let shared = try mapError(PageError.command) { () throws(CommandFailure) in
                try mapOperationError { () throws(GroupOperationError) in
                    try operations.share(called: nil, cancellation: cancellation)
                }
            }
            return .success(
                shared.sentences.joined(separator: "\n"), PageServer.members(of: shared.invite))
        } whenOver: { server in
            server.joining = nil
        }
    }

    /// Leaves the group if the person has confirmed it; otherwise throws the question. If the server can't be
    /// told, answers with another question.
    func leave(_ exchange: HTTPExchange) throws(PageError) {
        let body = exchange.request.body
        let (isSure, isUntold) = try mapError(PageError.malformed) { () throws(PagePress.Malformed) in
            let fields = try PagePress.Fields(parsing: body)
            return (try fields.flag("sure"), try fields.flag("untold"))
        }
        try mapError(PageError.device) { () throws(DeviceFailure) in try device.requireGroup() }
        guard isSure else {
            let (isOnlyMember, isServer) = try mapError(PageError.device) { () throws(DeviceFailure) in
                try device.attempt { device throws(StoreError) in
                    (try device.isOnlyMember(), try device.isSharingGroup())
                }
            }
            throw .needsConfirmation(.leave(isOnlyMember: isOnlyMember, isServer: isServer))
        }
        try run(for: exchange) { operations, device throws(PageError) in
            let result = try mapError(PageError.command) { () throws(CommandFailure) in
                try operations.leave(device, untold: isUntold)
            }
            switch result {
            case .done(let sentences): return .success(sentences.lines.joined(separator: "\n"))
            case .question(let question): throw .needsConfirmation(.leaveUntold(question))
            }
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
