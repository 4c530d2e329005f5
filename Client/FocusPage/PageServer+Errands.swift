import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusText
import FocusWords

// What asks the server: the same as the commands do, on a thread of its own.
extension PageServer {
    /// How many may be on their way at once.
    private static let errandLimit = 4

    /// Carries out what is asked for about a device, and answers with what the command says.
    func change(_ exchange: HTTPExchange) throws(PageFailure) {
        let body = exchange.request.body
        switch try failing(
            PageFailure.malformed, { () throws(PagePress.Malformed) in try DevicePress(parsing: body) })
        {
        case .rename(let name): exchange.send(try perform(.nameDevice(name)))
        case .revoke(let words, let isOnly):
            try tell(exchange) { errands, device throws(GroupFailure) in
                try errands.revoke(words, isOnly: isOnly, of: device)
            }
        case .accept(let word):
            try tell(exchange) { errands, device throws(GroupFailure) in
                try errands.accept(word, of: device)
            }
        case .readmit(let word):
            try tell(exchange) { errands, device throws(GroupFailure) in
                try errands.readmit(word, of: device)
            }
        }
    }

    /// Asks something of the group, and answers with what that came to.
    private func tell(
        _ exchange: HTTPExchange,
        _ errand: @escaping @Sendable (any GroupErrands, Device) throws(GroupFailure) -> [String]
    ) throws(PageFailure) {
        try run(for: exchange) { errands, device throws(PageFailure) in
            let did = try failing(PageFailure.group) { () throws(GroupFailure) in
                try errand(errands, device)
            }
            return .did(did.line)
        }
    }

    /// Gives an invite for another laptop.
    func invite(_ exchange: HTTPExchange) throws(PageFailure) {
        try run(for: exchange) { errands, _ throws(PageFailure) in
            let made = try failing(PageFailure.errand) { () throws(ErrandTrouble) in try errands.invite() }
            return .json(
                200,
                JSON.object([
                    JSON.Member("invite", .string(made.text)),
                    JSON.Member("lifetimeMs", .milliseconds(MadeInvite.lifetime)),
                ]).description)
        }
    }

    /// Runs an errand with a connection of its own to the log, and answers with what it gives.
    ///
    /// - Parameter whenOver: is called on the agent's loop before the answer goes.
    func run(
        for exchange: HTTPExchange,
        _ errand: @escaping @Sendable (any GroupErrands, Device) throws(PageFailure) -> HTTPResponse,
        whenOver: @escaping @Sendable () -> Void = {}
    ) throws(PageFailure) {
        let worker: EventLoop
        do throws(PageFailure) {
            guard errands.count < PageServer.errandLimit else { throw .tooMuch }
            worker =
                if let present = self.worker { present } else {
                    try failing(PageFailure.network) { () throws(NetError) in try EventLoop() }
                }
        } catch {
            whenOver()
            throw error
        }
        self.worker = worker
        lastErrand += 1
        let id = lastErrand
        errands[id] = exchange
        worker.run { [self, context] in
            let result: Result<HTTPResponse, PageFailure>
            do throws(PageFailure) {
                let device = try failing(PageFailure.group) { () throws(GroupFailure) in
                    try context.deviceForErrand()
                }
                result = .success(try errand(context.errands(), device))
            } catch {
                result = .failure(error)
            }
            loop.run {
                whenOver()
                self.errands.removeValue(forKey: id)?.send(
                    self.response { () throws(PageFailure) in try result.get() })
            }
        }
    }
}

extension HTTPResponse {
    /// That it was done, and what that came to.
    static func did(_ words: String, _ others: [JSON.Member] = []) -> HTTPResponse {
        .json(200, JSON.object([JSON.Member("did", .string(words))] + others).description)
    }
}

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
