package import FocusCore
package import FocusStore
import FocusSync

/// Something that is the matter with this laptop or its log as long as it lasts, and that a person should know
/// whatever they press or look at.
package enum Trouble: Hashable, Sendable {
    /// The server has shut the laptop out.
    case revoked
    /// So many events can't be read, since their epoch's key hasn't come.
    case unreadable(UInt64)
    /// The log holds presses that lie so far ahead of the laptop's clock, so that the clock doesn't move
    /// what is shown (docs/timer-rules.md §4, "The state at an instant").
    case ahead(by: Duration, isAlone: Bool)
    /// So many laptops came with a key from before another was shut out, and wait for a person to accept them.
    case latecomers(Int)
    /// What this laptop did about presses that contradicted each other, or what a press that came late took out of the
    /// history, until the next press here.
    case resolved(String)
}

extension Device {
    /// What is the matter at `now`, where the log comes to `state`.
    package func troubles(_ state: ReplayState, at now: SharedInstant) throws(StoreError) -> [Trouble] {
        var troubles: [Trouble] = []
        let isRefused = try isRevoked()
        let ruling = try store.deviceKey().flatMap {
            state.rulings[$0]
        }
        if isRefused || ruling?.isRevoked == true { troubles.append(.revoked) }
        let lead = state.latestEffect - now
        // Less than that is what clocks differ by, and what the server takes.
        if lead > Limits.ahead {
            troubles.append(.ahead(by: lead, isAlone: try store.group() == nil))
        }
        let sealed = try store.sealedCount()
        if sealed > 0 { troubles.append(.unreadable(sealed)) }
        let late = try store.latecomers().filter { state.rulings[$0] == nil }
        if !late.isEmpty { troubles.append(.latecomers(late.count)) }
        if let sentence = try resolved() { troubles.append(.resolved(sentence)) }
        return troubles
    }
}
