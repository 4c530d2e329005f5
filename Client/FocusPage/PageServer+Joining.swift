import CommandLineKit
import FocusAgent
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusSeal
import FocusStore
import FocusText
import FocusWords

// Joining a group, and parting from it.
extension PageServer {
    /// Joins a group, or gives that up; what there is to ask first is the answer, and nothing is done yet.
    func join(_ exchange: HTTPExchange) {
        let press: JoinPress
        do throws(PagePress.Malformed) { press = try JoinPress(parsing: exchange.request.body) } catch {
            return exchange.send(.refusal(400, error.sentence))
        }
        switch press {
        case .giveUp:
            joining?.giveUp()
            exchange.send(HTTPResponse(204))
        case .join(let text, let takesAlong):
            do throws(CommandFailure) {
                try join(exchange, text, takesAlong)
            } catch {
                exchange.send(.failure(error))
            }
        }
    }

    private func join(
        _ exchange: HTTPExchange, _ text: String, _ takesAlong: Bool?
    ) throws(CommandFailure) {
        guard joining == nil else {
            throw CommandFailure("This laptop is joining a group already.", .notNow)
        }
        try told { () throws(DeviceFailure) in try device.requireAlone() }
        let invite = try Invite(handedIn: text)
        let question =
            takesAlong == nil
            ? try device.using { device throws(StoreError) in try AloneQuestion(invite, device) } : nil
        if let question {
            return exchange.send(.refusal(409, question.sentences.joined(separator: " "), asks: true))
        }
        // Where nobody was asked, nothing that comes to be meanwhile is shown to the others.
        let choice: AloneHistory.Choice = takesAlong ?? false ? .takeAlong : .leaveBehind
        let giving = GivingUp()
        joining = giving
        run(for: exchange) { errands, _ throws(GroupFailure) in
            do throws(ErrandTrouble) {
                let joined = try errands.join(invite, called: nil, choice, giving: giving)
                let did = joined.sentences(remedy: "The field below")
                return .did(
                    did.joined(separator: "\n"), [JSON.Member("namesake", .bool(joined.hasNamesake))])
            } catch {
                let failure = GroupFailure(error)
                throw GroupFailure(
                    CommandFailure(
                        ([failure.failure.message] + failure.besides.lines).joined(separator: "\n"),
                        failure.failure.status))
            }
        } whenOver: { [self] in
            joining = nil
        }
    }

    /// Parts from the group, once that was said yes to.
    func leave(_ exchange: HTTPExchange) {
        let isSure: Bool
        do throws(PagePress.Malformed) {
            isSure = try PagePress.Fields(parsing: exchange.request.body).flag("sure")
        } catch {
            return exchange.send(.refusal(400, error.sentence))
        }
        do throws(CommandFailure) {
            try told { () throws(DeviceFailure) in try device.requireGroup() }
            guard isSure else {
                let isLast = try device.using { device throws(StoreError) in try device.isLastOfGroup() }
                let question = GroupQuestion.leave(isLast: isLast)
                return exchange.send(.refusal(409, question, asks: true))
            }
        } catch {
            return exchange.send(.failure(error))
        }
        run(for: exchange) { errands, device throws(GroupFailure) in
            .did(try errands.leave(device).lines.joined(separator: "\n"))
        }
    }
}

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
