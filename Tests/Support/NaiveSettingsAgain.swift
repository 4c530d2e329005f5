import FocusCore

/// The settings and profiles that a returning device takes back and sets again (docs/timer-rules.md §5, rule
/// 4), in a second implementation.
struct NaiveSettingsAgain {
    /// The pending events to take back.
    private(set) var lost: [EventID] = []
    /// The actions that set their values again, now.
    private(set) var actions: [Action] = []
    private(set) var rules: Set<NaiveRule> = []

    /// - Parameters:
    ///   - standing: The pending events that still have an effect of their own, each with the event that its
    ///     chain of undos ends at.
    ///   - theirs: The others' events that had an effect.
    ///   - log: The merged log, in replay order.
    init(
        _ standing: [(event: Event, target: Event?)], since theirs: [Event], in log: [Event],
        pending: Set<EventID>
    ) {
        let result = NaiveFold(log: log)
        for (event, target) in standing {
            guard let target else { continue }
            let isUndo = target.id != event.id
            let keys = target.action.naiveKeys
            let name = NaiveSettingsAgain.profileName(target.action)
            if case .profile(_, nil) = target.action, !isUndo {
                // A name that is saved again would come back.
                if actions.contains(where: { NaiveSettingsAgain.profileName($0) == name }) {
                    actions.append(target.action)
                }
            }
            guard !keys.isEmpty else { continue }
            // A later value replaces an earlier one. A profile leaves its name.
            actions.removeAll { earlier in
                let earlierName = NaiveSettingsAgain.profileName(earlier)
                return earlierName == nil ? earlier.naiveKeys.isSubset(of: keys) : earlierName == name
            }
            let later = theirs.filter { $0.stamp > event.stamp }
            let isSet = later.contains { !$0.action.naiveKeys.isDisjoint(with: keys) }
            let hasActed = isSet || later.contains { NaiveReturning.isPressOrStart($0.action) }
            let follows = actions.contains { !$0.naiveKeys.isDisjoint(with: keys) }
            let onlySaves = NaiveSettingsAgain.changesNothing(target, for: log, without: pending)
            guard follows || (hasActed && !onlySaves) else { continue }
            lost.append(event.id)
            if isSet {
                rules.insert(.settingStands)
                continue
            }
            rules.insert(.settingAgain)
            guard isUndo else {
                actions.append(target.action)
                continue
            }
            if let name, (1...40).contains(name.count) {
                let text = String(String.UnicodeScalarView(name))
                let saved = result.profiles.first { Array($0.name.unicodeScalars) == name }
                if text != "classic", text != "long" {
                    actions.append(.profile(name: text, saved.map { NaiveSettingsAgain.lengths($0.values) }))
                }
            }
            for key in NaiveSettings.order where keys.contains(key) {
                rules.insert(.settingUndone)
                actions.append(.set(key: key, value: result.settings[key]))
            }
        }
    }

    /// The cleaned name of the profile, as scalars; nil for any other action.
    private static func profileName(_ action: Action) -> [Unicode.Scalar]? {
        guard case .profile(let name, _) = action else { return nil }
        return Array(naiveClean(name).unicodeScalars)
    }

    private static func lengths(_ values: [String: Int64]) -> PhaseLengths {
        PhaseLengths(
            work: values["workLength"] ?? 0, shortBreak: values["shortBreakLength"] ?? 0,
            longBreak: values["longBreakLength"] ?? 0, longBreakFrequency: values["longBreakFrequency"] ?? 0)
    }

    /// Whether the event uses a profile with values that are in force already, in the others' log.
    private static func changesNothing(
        _ event: Event, for log: [Event], without pending: Set<EventID>
    ) -> Bool {
        guard case .profile(_, let lengths?) = event.action else { return false }
        let undo = NaiveUndo(sorted: log.filter { !pending.contains($0.id) })
        var fold = NaiveFold(undo: undo)
        for earlier in undo.notUndone where earlier.position < event.position { fold.act(earlier) }
        return naiveValues(lengths).allSatisfy { fold.settings[$0.key] == $0.value }
    }
}
