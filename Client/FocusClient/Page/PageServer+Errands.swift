import CommandLineKit
import FocusCore
import FocusHTTP
import FocusNet
import FocusText

// What asks the server: the same as the commands do, on a thread of its own.
extension PageServer {
    /// How many may be on their way at once.
    private static let errandLimit = 4

    /// `{"rename":NAME}` or `{"revoke":NAME}`, where the name may be the first digits of a key.
    func change(_ exchange: HTTPExchange) {
        do throws(PagePress.Malformed) {
            let fields = try PagePress.Fields(parsing: exchange.request.body)
            if let name = try fields.optionalText("rename") {
                return exchange.send(rename(name))
            }
            let name = try fields.text("revoke")
            run(for: exchange) { context throws(CommandFailure) in
                try RevokeCommand(words: [name], isOnly: false, isSure: true).run(in: context)
                return HTTPResponse(204)
            }
        } catch {
            exchange.send(.refusal(400, error.sentence))
        }
    }

    private func rename(_ name: String) -> HTTPResponse {
        do throws(CommandFailure) { return try perform(.nameDevice(name)) } catch { return .failure(error) }
    }

    /// Gives an invite for another laptop.
    func invite(_ exchange: HTTPExchange) {
        run(for: exchange) { context throws(CommandFailure) in
            let said = Said()
            try context.network.invite(in: context.saying({ said.add($0) }, messages: { _ in }))
            let invite = said.text.split(separator: "\n").last.map(String.init) ?? ""
            return .json(200, JSON.object([JSON.Member("invite", .string(invite))]).description)
        }
    }

    private func run(
        for exchange: HTTPExchange,
        _ errand: @escaping @Sendable (CommandContext) throws(CommandFailure) -> HTTPResponse
    ) {
        guard errands.count < PageServer.errandLimit else {
            return exchange.send(.refusal(503, "Too much is asked of the server at once. Try again."))
        }
        do throws(NetError) {
            let worker = if let worker { worker } else { try EventLoop() }
            self.worker = worker
            lastErrand += 1
            let id = lastErrand
            errands[id] = exchange
            worker.run { [self, context] in
                let response: HTTPResponse
                do throws(CommandFailure) {
                    response = try errand(context.saying { _ in })
                } catch {
                    response = .failure(error)
                }
                loop.run { self.errands.removeValue(forKey: id)?.send(response) }
            }
        } catch {
            exchange.send(.refusal(503, error.sentence))
        }
    }
}
