import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusText

// Group operations: the same as those of the commands, on a separate thread.
extension PageServer {
    /// The maximum number of group operations at the same time.
    private static let operationLimit = 4

    /// Performs a request about a device, and answers with the command's sentences.
    func change(_ exchange: HTTPExchange) throws(PageError) {
        let body = exchange.request.body
        switch try mapError(
            PageError.malformed, { () throws(PagePress.Malformed) in try DevicePress(parsing: body) })
        {
        case .rename(let name): exchange.send(try perform(.nameDevice(name)))
        case .revoke(let words, let revokesOnlyNamed):
            try runCommand(exchange) { operations, device throws(CommandFailure) in
                try operations.revoke(words, revokesOnlyNamed: revokesOnlyNamed, of: device)
            }
        case .accept(let word):
            try runCommand(exchange) { operations, device throws(CommandFailure) in
                try operations.accept(word, of: device)
            }
        case .readmit(let word):
            try runCommand(exchange) { operations, device throws(CommandFailure) in
                let done = try device.readmit(word)
                let isRefused = try device.isRefusedByServer(done.key)
                return [done.readmission, PageText.afterReadmission(isRefused: isRefused)]
                    + operations.announceLocalChanges(on: device).map { $0.sentence }
            }
        }
    }

    /// Runs a group operation, and answers with the sentences that it returns.
    private func runCommand(
        _ exchange: HTTPExchange,
        _ operation: @escaping @Sendable (any GroupOperations, Device) throws(CommandFailure) -> [String]
    ) throws(PageError) {
        try run(for: exchange) { operations, device throws(PageError) in
            let sentences = try mapError(PageError.command) { () throws(CommandFailure) in
                try operation(operations, device)
            }
            return .success(sentences.line)
        }
    }

    /// Answers with a new invite for another laptop.
    func invite(_ exchange: HTTPExchange) throws(PageError) {
        try run(for: exchange) { operations, _ throws(PageError) in
            let invite = try mapError(PageError.command) { () throws(CommandFailure) in
                try mapOperationError { () throws(GroupOperationError) in try operations.invite() }
            }
            return .json(200, JSON.object(PageServer.members(of: invite)).description)
        }
    }

    /// Returns the members of an answer with an invite.
    static func members(of invite: PublishedInvite) -> [JSON.Member] {
        [
            JSON.Member("invite", .string(invite.text)),
            JSON.Member("lifetimeMs", .milliseconds(PublishedInvite.lifetime)),
        ]
    }

    /// Runs a group operation on the worker, with its own connection to the log, and answers with its
    /// response.
    ///
    /// - Parameter whenOver: Called on the agent's loop before the answer is sent, also if the operation
    ///   can't start. Neither closure may refer to the page's server.
    /// - Throws: `PageError` if the operation can't start.
    func run(
        for exchange: HTTPExchange,
        _ operation: @escaping @Sendable (any GroupOperations, Device) throws(PageError) -> HTTPResponse,
        whenOver: @escaping @Sendable (PageServer) -> Void = { _ in }
    ) throws(PageError) {
        let worker: EventLoop
        do throws(PageError) {
            guard pendingOperations.count < PageServer.operationLimit else { throw .tooManyOperations }
            worker =
                if let present = self.worker { present } else {
                    try mapError(PageError.network) { () throws(NetError) in try EventLoop() }
                }
        } catch {
            whenOver(self)
            throw error
        }
        self.worker = worker
        lastRequestID += 1
        let id = lastRequestID
        pendingOperations[id] = exchange
        let server = ObjectOnLoop(self, on: loop)
        worker.run { [context] in
            let result: Result<HTTPResponse, PageError>
            do throws(PageError) {
                let device = try mapError(PageError.command) { () throws(CommandFailure) in
                    try context.openDeviceForOperation()
                }
                result = .success(try operation(context.operations(), device))
            } catch {
                result = .failure(error)
            }
            server.run { server in
                whenOver(server)
                server.pendingOperations.removeValue(forKey: id)?.send(
                    server.response { () throws(PageError) in try result.get() })
            }
        }
    }
}

extension HTTPResponse {
    /// The answer for success, with sentences about the result.
    static func success(_ words: String, _ others: [JSON.Member] = []) -> HTTPResponse {
        let did = JSON.Member("did", .string(PageText.withOwnWords(words)))
        return .json(200, JSON.object([did] + others).description)
    }
}

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
