package import FocusNet

/// A message bus that connects when it is first used, and again after it was lost.
///
/// Everything is on the loop's thread. Others on the bus are untrusted: messages are bounded (`BusLimits`),
/// and a signal counts only if the owner of the expected name sent it.
package final class BusConnection: MessageBus {
    /// The name of the present connection; nil until the bus has answered.
    package private(set) var uniqueName: String?

    private let address: () -> BusAddress?
    private let loop: EventLoop
    private var link: BusLink?
    /// The calls without an answer yet, by the serial number.
    private var unanswered: [UInt32: UnansweredCall] = [:]
    private var objects = ExportedObjects()
    /// The names to own, with the receivers of the results.
    private var ownNames: [(name: String, body: (Bool) -> Void)] = []
    private var subscriptions: [Int: (match: BusMatch, body: (BusSignal) -> Void)] = [:]
    /// The names with their owners, as far as a subscription or a follower needs them.
    private var names: [String: FollowedName] = [:]
    private var observers: [Int: (Bool) -> Void] = [:]
    /// The number of the newest subscription of any kind.
    private var newest = 0
    private var retry: LoopTimer?
    /// The wait before the next attempt to connect.
    private var wait = BusConnection.shortestWait
    private var isClosed = false

    private static let shortestWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(64)
    /// The longest time that the bus itself may take to answer.
    private static let patience = Duration.seconds(5)

    /// A call without an answer yet.
    private struct UnansweredCall {
        let timeout: LoopTimer
        let done: (Result<[BusValue], BusError>) -> Void
    }

    /// A name of the bus with its owner.
    private struct FollowedName {
        var owner: String?
        /// The number of subscriptions and followers.
        var users = 0
        var followers: [Int: (String?) -> Void] = [:]
    }

    /// A bus that isn't connected yet. Without an address, every call fails with `.noBus`.
    ///
    /// - Parameter address: The bus. It is looked up at each attempt to connect, because a desktop's session may
    ///   begin later than this process.
    package init(_ address: @autoclosure @escaping () -> BusAddress?, on loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    /// Ends the connection for good. Calls without an answer fail with `.disconnected`.
    package func close() {
        isClosed = true
        retry?.cancel()
        link?.close()
        lost()
    }

    // MARK: - Calls

    /// Calls a method, after connecting if there is no connection.
    package func call(
        _ call: BusCall, within limit: Duration, _ done: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        if let error = connect() { return fail(error, done) }
        request(call, within: limit, done)
    }

    private func request(
        _ call: BusCall, within limit: Duration, _ done: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        guard let link else { return fail(.disconnected, done) }
        guard let message = BusMessage(link.dbus, call) else { return fail(.malformed, done) }
        guard unanswered.count < BusLimits.calls, let serial = link.send(message) else {
            return fail(.overflow, done)
        }
        let timeout = loop.schedule(after: limit) { [weak self] in
            self?.finish(serial, .failure(.timedOut))
        }
        unanswered[serial] = UnansweredCall(timeout: timeout, done: done)
    }

    private func fail(_ error: BusError, _ done: @escaping (Result<[BusValue], BusError>) -> Void) {
        loop.schedule(after: .zero) { done(.failure(error)) }
    }

    private func finish(_ serial: UInt32, _ result: Result<[BusValue], BusError>) {
        guard let call = unanswered.removeValue(forKey: serial) else { return }
        call.timeout.cancel()
        call.done(result)
    }

    /// Calls a method of the bus itself.
    private func ask(
        _ member: String, _ arguments: [BusValue],
        _ done: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }
    ) {
        request(
            BusCall(to: BusNames.bus, at: BusNames.busPath, BusNames.bus, member, arguments),
            within: BusConnection.patience, done)
    }

    // MARK: - Connecting

    /// Connects if there is no connection. Returns the reason if that fails.
    ///
    /// Messages may be sent at once: the bus handles them in order, after the greeting.
    private func connect() -> BusError? {
        guard !isClosed else { return .disconnected }
        guard link == nil else { return nil }
        guard let address = address() else { return .noBus }
        do throws(BusError) {
            link = try BusLink(
                address, on: loop, { [weak self] in self?.receive($0) },
                lose: { [weak self] in self?.lost() })
        } catch {
            return error
        }
        ask("Hello", []) { [weak self] in self?.greeted($0) }
        for (match, _) in sorted(subscriptions) { add(match) }
        for name in names.keys.sorted() { askOwner(of: name) }
        for (name, body) in ownNames { request(name, body) }
        return nil
    }

    private func greeted(_ answer: Result<[BusValue], BusError>) {
        guard case .success(let values) = answer, let name = values.first?.text else {
            link?.close()
            return lost()
        }
        uniqueName = name
        wait = BusConnection.shortestWait
        for observer in sorted(observers) { observer(true) }
    }

    /// Connects if there is something to register or to receive, now or after a wait.
    private func connectForRegistrations() {
        guard !isClosed, link == nil, retry == nil, isWanted, let error = connect(), error.mayPass else {
            return
        }
        retryLater()
    }

    private var isWanted: Bool {
        !subscriptions.isEmpty || !names.isEmpty || !ownNames.isEmpty || !objects.isEmpty
            || !observers.isEmpty
    }

    private func retryLater() {
        guard retry == nil else { return }
        retry = loop.schedule(after: wait) { [weak self] in
            guard let self else { return }
            retry = nil
            wait = min(wait * 2, BusConnection.longestWait)
            connectForRegistrations()
        }
    }

    /// Handles the end of the connection.
    private func lost() {
        let wasConnected = uniqueName != nil
        (link, uniqueName) = (nil, nil)
        let calls = unanswered.sorted { $0.key < $1.key }
        unanswered = [:]
        for (_, call) in calls {
            call.timeout.cancel()
            call.done(.failure(.disconnected))
        }
        for name in names.keys.sorted() { setOwner(of: name, nil) }
        if wasConnected { for observer in sorted(observers) { observer(false) } }
        if !isClosed, isWanted { retryLater() }
    }

    /// The closures in the order of their subscriptions.
    private func sorted<Body>(_ bodies: [Int: Body]) -> [Body] {
        bodies.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: - Subscriptions

    /// Subscribes to signals. Until the owner of the sender's name is known, none are delivered.
    package func subscribe(_ match: BusMatch, _ body: @escaping (BusSignal) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        subscriptions[number] = (match, body)
        let needsOwner = BusConnection.isWellKnown(match.sender)
        if link != nil { add(match) } else { connectForRegistrations() }
        if needsOwner { use(match.sender) }
        return BusSubscription { [weak self] in
            guard let self, subscriptions.removeValue(forKey: number) != nil else { return }
            if needsOwner { release(match.sender) }
            if let rule = match.rule, link != nil { ask("RemoveMatch", [.string(rule)]) }
        }
    }

    /// Tells the owner of a name, from the bus's first answer on.
    package func followOwner(of name: String, _ body: @escaping (String?) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        use(name)
        names[name]?.followers[number] = body
        connectForRegistrations()
        // The bus tells the owner once; later followers learn it from here.
        if let owner = names[name]?.owner {
            loop.schedule(after: .zero) { [weak self] in self?.names[name]?.followers[number]?(owner) }
        }
        return BusSubscription { [weak self] in
            guard let self, names[name]?.followers.removeValue(forKey: number) != nil else { return }
            release(name)
        }
    }

    /// Tells later connections and losses.
    package func followConnection(_ body: @escaping (Bool) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        observers[number] = body
        connectForRegistrations()
        return BusSubscription { [weak self] in self?.observers[number] = nil }
    }

    /// Whether a name is one that different connections may own in turn.
    private static func isWellKnown(_ name: String) -> Bool { !name.hasPrefix(":") && name != BusNames.bus }

    private func add(_ match: BusMatch) {
        guard let rule = match.rule else { return }
        ask("AddMatch", [.string(rule)])
    }

    private func use(_ name: String) {
        names[name, default: FollowedName()].users += 1
        if names[name]?.users == 1, link != nil { askOwner(of: name) }
    }

    private func release(_ name: String) {
        names[name]?.users -= 1
        guard names[name]?.users == 0 else { return }
        names[name] = nil
        guard link != nil, let rule = BusConnection.ownerMatch(name).rule else { return }
        ask("RemoveMatch", [.string(rule)])
    }

    private static func ownerMatch(_ name: String) -> BusMatch {
        BusMatch(
            from: BusNames.bus, path: BusNames.busPath, BusNames.bus, "NameOwnerChanged", argument: name)
    }

    private func askOwner(of name: String) {
        add(BusConnection.ownerMatch(name))
        ask("GetNameOwner", [.string(name)]) { [weak self] answer in
            switch answer {
            case .success(let values): self?.setOwner(of: name, values.first?.text)
            case .failure: self?.setOwner(of: name, nil, isFirst: true)
            }
        }
    }

    /// Stores a name's owner, and tells it if it changed or `isFirst`.
    private func setOwner(of name: String, _ owner: String?, isFirst: Bool = false) {
        guard let known = names[name], isFirst || known.owner != owner else { return }
        names[name]?.owner = owner
        for body in sorted(known.followers) { body(owner) }
    }

    // MARK: - Names and objects

    /// Requests a name now, and at each later connection.
    package func own(_ name: String, _ body: @escaping (Bool) -> Void) {
        ownNames.append((name, body))
        if link != nil { request(name, body) } else { connectForRegistrations() }
    }

    private func request(_ name: String, _ body: @escaping (Bool) -> Void) {
        // 4 is DO_NOT_QUEUE. The answers 1 and 4 say that this connection owns the name.
        ask("RequestName", [.string(name), .uint32(4)]) { answer in
            if case .success(let values) = answer, let result = values.first?.integer {
                body(result == 1 || result == 4)
            } else {
                body(false)
            }
        }
    }

    /// Exports an object, on this connection and later ones.
    package func export(_ object: any BusObject, at path: String) {
        objects[path] = object
        connectForRegistrations()
    }

    /// Removes the object at `path`, if there is one.
    package func removeObject(at path: String) { objects[path] = nil }

    /// Sends a signal. Does nothing if it isn't valid, or if there is no connection.
    package func emit(_ signal: BusSignal) {
        guard let link, let message = BusMessage(link.dbus, signal) else { return }
        _ = link.send(message)
    }

    // MARK: - Messages

    private func receive(_ message: BusMessage) {
        guard let link else { return }
        let arguments = message.arguments()
        switch message.kind {
        case .answer:
            guard let arguments else { return finish(message.answeredSerial, .failure(.malformed)) }
            finish(message.answeredSerial, .success(arguments))
        case .error:
            let text = (arguments?.first?.text ?? "").prefix(400)
            finish(
                message.answeredSerial, .failure(.refused(name: message.errorName, message: String(text))))
        case .signal:
            guard let arguments else { return }
            deliver(
                BusSignal(
                    from: message.sender, path: message.path, interface: message.interface,
                    member: message.member, arguments: arguments))
        case .call: answer(message, arguments, by: link)
        case nil: break
        }
    }

    private func deliver(_ signal: BusSignal) {
        if signal.sender == BusNames.bus, signal.interface == BusNames.bus,
            signal.member == "NameOwnerChanged", signal.arguments.count == 3,
            let name = signal.arguments[0].text, let owner = signal.arguments[2].text
        {
            setOwner(of: name, owner.isEmpty ? nil : owner)
        }
        for (match, body) in sorted(subscriptions) where match.accepts(signal) {
            let isWellKnown = BusConnection.isWellKnown(match.sender)
            let sender = isWellKnown ? names[match.sender]?.owner : match.sender
            if sender == signal.sender { body(signal) }
        }
    }

    /// Answers a call of an exported object, even if its arguments can't be read.
    private func answer(_ message: BusMessage, _ arguments: [BusValue]?, by link: BusLink) {
        let (serial, sender) = (message.serial, message.sender)
        let answer: BusMessage?
        do throws(BusRefusal) {
            guard let arguments else {
                throw BusRefusal.standard("InvalidArgs", "The arguments are above a limit")
            }
            let call = BusCall(to: "", at: message.path, message.interface, message.member, arguments)
            let values = try objects.answer(call, from: sender)
            answer =
                BusMessage(link.dbus, answering: serial, to: sender, values)
                ?? BusMessage(
                    link.dbus, answering: serial, to: sender,
                    BusRefusal.standard("LimitsExceeded", "The answer is above a limit"))
        } catch {
            answer = BusMessage(link.dbus, answering: serial, to: sender, error)
        }
        if message.wantsAnswer, let answer { _ = link.send(answer) }
    }
}
