package import FocusDevice
package import FocusPage
import FocusText

/// The browser that a device runs in. The functions return without calling the device.
package protocol WebBrowser: AnyObject {
    /// Makes a request about the WebSocket.
    func ask(_ request: BrowserSocket.Request)
    /// Stores changes in one transaction, as the bytes of a `keep` call. `BrowserDevice.stored(upTo:at:)` or
    /// `failed` follows.
    func store(_ records: [UInt8], number: UInt64)
    /// Answers a page's request.
    func answer(_ id: Int32, _ answer: PageAnswer)
    /// Sends a state event to a page.
    func show(_ state: String, on page: Int32)
    /// Called if the device turns out to be unusable after `BrowserDevice.begin` has returned `running`.
    func reportUnusable()
    /// Calls `BrowserDevice.woke` after this time; nil if there is no reason to. Replaces the former call.
    func wake(after delay: Duration?)
    /// The browser's own time zone.
    var zone: Zone { get }
    /// Returns random bytes.
    func random(_ count: Int) -> [UInt8]
    /// Writes a line to the console.
    func log(_ line: String)
}

/// Outputs that others notice. Each waits until all awaited changes before it are stored.
struct HeldOutputs {
    enum Output {
        case socket(BrowserSocket.Request)
        case answer(Int32, PageAnswer)
        case state(page: Int32, JSON)
    }

    private var outputs: [(number: UInt64, output: Output)] = []

    /// Adds an output after changes up to this number.
    mutating func append(_ output: Output, after number: UInt64) { outputs.append((number, output)) }

    /// Removes the outputs that wait only for changes up to `number`, and returns them in order.
    mutating func release(upTo number: UInt64) -> [Output] {
        let count = outputs.firstIndex { $0.number > number } ?? outputs.count
        defer { outputs.removeFirst(count) }
        return outputs.prefix(count).map { $0.output }
    }

    mutating func removeAll() { outputs = [] }
}
