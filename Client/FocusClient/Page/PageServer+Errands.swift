import CommandLineKit
import FocusCore
import FocusHTTP
import FocusLink
import FocusNet
import FocusText

// What asks the server: the same as the commands do, on a thread of its own.
extension PageServer {
    /// How many may be on their way at once.
    private static let errandLimit = 4

    /// Carries out what is asked for about a device, and answers with what the command says.
    func change(_ exchange: HTTPExchange) {
        let press: DevicePress
        do throws(PagePress.Malformed) { press = try DevicePress(parsing: exchange.request.body) } catch {
            return exchange.send(.refusal(400, error.sentence))
        }
        switch press {
        case .rename(let name): exchange.send(rename(name))
        case .revoke(let words, let isOnly):
            tell(exchange) { context throws(CommandFailure) in
                try RevokeCommand(words: words, isOnly: isOnly, isSure: true).run(in: context)
            }
        case .accept(let name):
            tell(exchange) { context throws(CommandFailure) in
                try AcceptCommand(name: name, isSure: true).run(in: context)
            }
        case .readmit(let word):
            tell(exchange) { context throws(CommandFailure) in
                try ReadmitCommand(word: word).runAndTell(in: context)
            }
        }
    }

    /// Runs a command, and answers with what it says.
    private func tell(
        _ exchange: HTTPExchange,
        _ command: @escaping @Sendable (CommandContext) throws(CommandFailure) -> Void
    ) {
        run(for: exchange) { context throws(CommandFailure) in
            let said = Said()
            try command(context.saying { said.add($0) })
            return .json(200, JSON.object([JSON.Member("did", .string(said.line))]).description)
        }
    }

    private func rename(_ name: String) -> HTTPResponse {
        do throws(CommandFailure) { return try perform(.nameDevice(name)) } catch { return .failure(error) }
    }

    /// Gives an invite for another laptop.
    func invite(_ exchange: HTTPExchange) {
        run(for: exchange) { context throws(CommandFailure) in
            let made = try context.network.invite(in: context)
            return .json(
                200,
                JSON.object([
                    JSON.Member("invite", .string(made.text)),
                    JSON.Member("lifetimeMs", .integer(MadeInvite.lifetime)),
                ]).description)
        }
    }

    /// Runs an errand, and answers with what it gives.
    ///
    /// - Parameter whenOver: is called on the agent's loop before the answer goes.
    func run(
        for exchange: HTTPExchange,
        _ errand: @escaping @Sendable (CommandContext) throws(CommandFailure) -> HTTPResponse,
        whenOver: @escaping @Sendable () -> Void = {}
    ) {
        guard errands.count < PageServer.errandLimit else {
            whenOver()
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
                loop.run {
                    whenOver()
                    self.errands.removeValue(forKey: id)?.send(response)
                }
            }
        } catch {
            whenOver()
            exchange.send(.refusal(503, error.sentence))
        }
    }
}
