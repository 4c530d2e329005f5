/// Something that can be pressed now. A front end shows no other buttons; keys for what isn't offered do nothing.
package enum Offer: String, CaseIterable, Hashable, Sendable {
    /// Start, pause or resume, as `Presentation.mainButton` says: always there.
    case main
    case stop
    case skip
    case addTime
    case label
    case undo

    static func offers(_ state: TimerState) -> Set<Offer> {
        var offers: Set<Offer> = state.run == nil ? [.main] : [.main, .stop, .skip, .addTime, .label]
        if state.canUndo { offers.insert(.undo) }
        return offers
    }
}
