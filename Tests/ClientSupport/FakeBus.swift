package import DBusKit

/// A bus without a daemon: it records calls, and a test answers them and sends signals. Nothing happens before
/// `deliver`.
package final class FakeBus: MessageBus {
    package var uniqueName: String? = ":1.1"
    /// The calls so far.
    package private(set) var calls: [BusCall] = []
    /// The signals that were sent.
    package private(set) var emitted: [BusSignal] = []
    /// The exported objects by their paths.
    package private(set) var objects: [String: any BusObject] = [:]
    /// The names to own.
    package private(set) var names: [String] = []
    /// Answers a call; nil leaves it unanswered.
    package var answer: (BusCall) -> Result<[BusValue], BusError>? = { _ in .failure(.noBus) }
    private var work: [() -> Void] = []
    private var signals: [Int: (BusMatch, (BusSignal) -> Void)] = [:]
    private var owners: [Int: (String, (String?) -> Void)] = [:]
    private var connections: [Int: (Bool) -> Void] = [:]
    private var newest = 0

    /// A bus on which every call fails until `answer` is set.
    package init() {}

    package func call(
        _ call: BusCall, within limit: Duration, _ done: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        calls.append(call)
        guard let result = answer(call) else { return }
        work.append { done(result) }
    }

    package func subscribe(_ match: BusMatch, _ body: @escaping (BusSignal) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        signals[number] = (match, body)
        return BusSubscription { [weak self] in self?.signals[number] = nil }
    }

    package func followOwner(of name: String, _ body: @escaping (String?) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        owners[number] = (name, body)
        return BusSubscription { [weak self] in self?.owners[number] = nil }
    }

    package func followConnection(_ body: @escaping (Bool) -> Void) -> BusSubscription {
        newest += 1
        let number = newest
        connections[number] = body
        return BusSubscription { [weak self] in self?.connections[number] = nil }
    }

    package func own(_ name: String, _ body: @escaping (Bool) -> Void) {
        names.append(name)
        work.append { body(true) }
    }

    package func export(_ object: any BusObject, at path: String) { objects[path] = object }
    package func removeObject(at path: String) { objects[path] = nil }
    package func emit(_ signal: BusSignal) { emitted.append(signal) }

    // MARK: - The test's side

    /// Delivers answers until there are none left.
    package func deliver() {
        while !work.isEmpty { work.removeFirst()() }
    }

    /// Delivers a signal to the subscriptions for its interface and name.
    package func send(_ signal: BusSignal) {
        for (_, (match, body)) in signals.sorted(by: { $0.key < $1.key })
        where match.interface == signal.interface && match.member.map({ $0 == signal.member }) ?? true {
            body(signal)
        }
    }

    /// Tells the followers of a name its owner.
    package func setOwner(of name: String, _ owner: String?) {
        for (_, (followed, body)) in owners.sorted(by: { $0.key < $1.key }) where followed == name {
            body(owner)
        }
    }

    /// Tells that the bus is connected, or lost.
    package func setConnected(_ isConnected: Bool) {
        for (_, body) in connections.sorted(by: { $0.key < $1.key }) { body(isConnected) }
    }
}
