import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusFront
package import FocusText

/// A press on the page.
package enum PagePress: Hashable, Sendable {
    /// The consent is to an undo or redo. `screen`: The timer that the page showed, if the request has it.
    case interaction(Interaction, UndoConsent = .toBeAsked, screen: ShownTimer? = nil)
    /// A stop that took effect this long ago, or a start that says when it begins. `accepting`: The
    /// consequences to which the person has agreed.
    case backdated(
        Interaction, ago: Duration = .zero, accepting: BackdatingConsent, screen: ShownTimer? = nil)
    case changeOwn(LaptopSetting, to: LaptopSetting.Value)
    /// The answer to the question about an absence between these instants.
    case answer(AbsenceAnswer, from: SharedInstant, until: SharedInstant)
    /// A new label for an entry. `entry` is the beginning of the entry's handle, as in the next two cases.
    case relabel(entry: String, String)
    case remove(entry: String)
    /// New times for an entry, or a split in two.
    case changeEntry(String, EntryChange)

    /// The reason why a body is no valid press. `PageText` has the sentences.
    package enum Malformed: Error, Hashable, Sendable {
        /// The body isn't JSON.
        case noJSON(JSON.Malformed)
        /// The member of this name is missing.
        case lacks(String)
        /// The member of this name doesn't have this form.
        case isNot(String, Form)
        /// The text isn't a name that this version knows.
        case unknown(Named, String)
        /// Past work or a break at impossible times.
        case impossiblePast(PastPhase.Problem, Interval)
        /// The member of this name isn't a valid duration.
        case noLength(String)
        /// Beginning, end and length are all given.
        case threeTimes
        /// The text isn't a value of this setting of the group.
        case noValue(SettingKey)
        /// The text isn't a value of this setting of the laptop.
        case noOwnValue(LaptopSetting)
        /// The line about an entry can't be parsed. The value is the parser's message.
        case noLine(String)

        /// The form that a member must have.
        package enum Form: Hashable, Sendable {
            case text, texts, object, number, flag
            /// An instant in milliseconds that can be written as a date.
            case instant
            /// The id of a session, as a state has it.
            case run
            /// The number of a phase within its session.
            case ordinal
            /// The consent to an undo.
            case consent
        }

        /// The kind of thing that a text names.
        package enum Named: String, Hashable, Sendable {
            case press, setting, activity, status, answer
        }
    }

    /// The press in a request's body.
    package init(parsing body: [UInt8]) throws(Malformed) {
        let fields = try Fields(parsing: body)
        self = try PagePress.named(try fields.text("press"), fields)
    }

    private static func named(_ name: String, _ fields: Fields) throws(Malformed) -> PagePress {
        switch name {
        case "start": return try start(fields)
        case "pause": return try onTimer(.pause, fields)
        case "resume": return try onTimer(.resume, fields)
        case "toggle": return try onTimer(.toggle, fields)
        case "stop": return try stop(fields)
        case "skip": return try onTimer(.skip, fields)
        case "complete": return try onTimer(.complete, fields)
        case "break": return try onTimer(.rest, fields)
        case "add": return try onTimer(.addTime(.seconds(try fields.number("seconds"))), fields)
        case "label": return try onTimer(.label(try fields.text("label")), fields)
        case "undo": return try onTimer(.undo, fields, try consent(fields))
        case "redo": return try onTimer(.redo, fields, try consent(fields))
        case "idle": return try answer(fields)
        case "set": return try set(fields)
        case "useProfile": return .interaction(.useProfile(try fields.text("name")))
        case "saveProfile": return .interaction(.saveProfile(try fields.text("name")))
        case "removeProfile": return .interaction(.removeProfile(try fields.text("name")))
        case "addPast": return .interaction(.add(try pastPhase(fields)))
        case "relabel": return .relabel(entry: try fields.text("record"), try fields.text("label"))
        case "remove": return .remove(entry: try fields.text("record"))
        case "retime", "split":
            let change = try change(name, try fields.text("line"))
            return .changeEntry(try fields.text("record"), change)
        default: throw .unknown(.press, name)
        }
    }

    private static func onTimer(
        _ interaction: Interaction, _ fields: Fields, _ consent: UndoConsent = .toBeAsked
    ) throws(Malformed) -> PagePress {
        .interaction(interaction, consent, screen: try fields.screen())
    }

    /// Returns the consent in `sure`: the event of the question, or true for any event.
    private static func consent(_ fields: Fields) throws(Malformed) -> UndoConsent {
        guard let name = try? fields.text("sure") else {
            return try fields.flag("sure") ? .always : .toBeAsked
        }
        guard let event = EventID(text: name) else { throw .isNot("sure", .consent) }
        return .given(event)
    }

    private static func start(_ fields: Fields) throws(Malformed) -> PagePress {
        let begins = fields.contains("begins") ? try fields.instant("begins") : nil
        let start = Interaction.start(
            label: try fields.optionalText("label"),
            length: fields.contains("length") ? try fields.length("length") : nil, begins: begins)
        guard begins != nil else { return try onTimer(start, fields) }
        return .backdated(start, accepting: try accepted(fields), screen: try fields.screen())
    }

    private static func stop(_ fields: Fields) throws(Malformed) -> PagePress {
        guard fields.contains("ago") else { return try onTimer(.stop, fields) }
        return .backdated(
            .stop, ago: try fields.length("ago"), accepting: try accepted(fields),
            screen: try fields.screen())
    }

    private static func accepted(_ fields: Fields) throws(Malformed) -> BackdatingConsent {
        var accepted: BackdatingConsent = []
        if try fields.flag(BackdatingConsent.shortReach.member) { accepted.insert(.shortReach) }
        if try fields.flag(BackdatingConsent.lostWork.member) { accepted.insert(.lostWork) }
        return accepted
    }

    private static func answer(_ fields: Fields) throws(Malformed) -> PagePress {
        let name = try fields.text("answer")
        guard let answer = AbsenceAnswer(rawValue: name) else { throw .unknown(.answer, name) }
        return .answer(answer, from: try fields.instant("from"), until: try fields.instant("until"))
    }

    private static func set(_ fields: Fields) throws(Malformed) -> PagePress {
        let name = try fields.text("setting")
        if let own = LaptopSetting(rawValue: name) {
            guard let value = own.value(in: try fields.text("value")) else {
                throw .noOwnValue(own)
            }
            return .changeOwn(own, to: value)
        }
        guard let key = SettingKey(rawValue: name) else {
            throw .unknown(.setting, name)
        }
        if let value = try? fields.number("value") { return .interaction(.set(key, value)) }
        guard let value = SettingText.value(of: key, in: try fields.text("value")) else {
            throw .noValue(key)
        }
        return .interaction(.set(key, value))
    }

    private static func change(_ name: String, _ line: String) throws(Malformed) -> EntryChange {
        do throws(ValueProblem) {
            return name == "split" ? try EntryChange(split: line) : try EntryChange(times: line)
        } catch {
            throw .noLine(error.message)
        }
    }

    private static func pastPhase(_ fields: Fields) throws(Malformed) -> PastPhase {
        let interval = try interval(fields)
        let name = try fields.optionalText("activity") ?? Activity.work.rawValue
        guard let activity = Activity(rawValue: name) else {
            throw .unknown(.activity, name)
        }
        let label = try fields.optionalText("label") ?? ""
        do throws(PastPhase.Problem) {
            return try PastPhase(activity, interval, label: label)
        } catch {
            throw .impossiblePast(error, interval)
        }
    }

    /// Returns the interval from `startedAt` to `endedAt`. If the request has a length, it has only one of
    /// these instants.
    private static func interval(_ fields: Fields) throws(Malformed) -> Interval {
        guard fields.contains("length") else {
            return Interval(from: try fields.instant("startedAt"), to: try fields.instant("endedAt"))
        }
        let length = try fields.length("length")
        switch (fields.contains("startedAt"), fields.contains("endedAt")) {
        case (true, true):
            throw .threeTimes
        case (true, false):
            let start = try fields.instant("startedAt")
            return Interval(
                from: start, to: min(start + length, Fields.instants.upperBound - .milliseconds(1)))
        case (false, _):
            let end = try fields.instant("endedAt")
            return Interval(from: end - length, to: end)
        }
    }
}

extension PagePress {
    /// The members of a request's JSON body.
    struct Fields {
        private let json: JSON

        private init(_ json: JSON) { self.json = json }

        init(parsing body: [UInt8]) throws(Malformed) {
            do throws(JSON.Malformed) {
                json = try JSON(parsing: body)
            } catch {
                throw .noJSON(error)
            }
        }

        func text(_ name: String) throws(Malformed) -> String {
            guard let text = try optionalText(name) else {
                throw .lacks(name)
            }
            return text
        }

        func optionalText(_ name: String) throws(Malformed) -> String? {
            switch json[name] {
            case nil, .null: return nil
            case .string(let text): return text
            default: throw .isNot(name, .text)
            }
        }

        /// Returns a member that is an object, as fields.
        func optionalFields(_ name: String) throws(Malformed) -> Fields? {
            switch json[name] {
            case nil, .null: return nil
            case .object(let members): return Fields(.object(members))
            default: throw .isNot(name, .object)
            }
        }

        /// Returns a list of at least one text. A single text counts as a list.
        func optionalTexts(_ name: String) throws(Malformed) -> [String]? {
            guard case .array(let elements) = json[name] else { return try optionalText(name).map { [$0] } }
            let texts = elements.compactMap { $0.text }
            guard !texts.isEmpty, texts.count == elements.count else {
                throw .isNot(name, .texts)
            }
            return texts
        }

        func number(_ name: String) throws(Malformed) -> Int64 {
            guard let number = json[name]?.number else {
                throw .isNot(name, .number)
            }
            return number
        }

        /// Whether there is a member of this name that isn't null.
        func contains(_ name: String) -> Bool {
            switch json[name] {
            case nil, .null: false
            default: true
            }
        }

        /// The instants that can be written as a date, up to the year 9999.
        static let instants = SharedInstant.zero..<SharedInstant(seconds: 253_402_300_800)

        /// Returns an instant that can be written as a date.
        func instant(_ name: String) throws(Malformed) -> SharedInstant {
            let instant = SharedInstant(milliseconds: try number(name))
            guard Fields.instants.contains(instant) else {
                throw .isNot(name, .instant)
            }
            return instant
        }

        /// Returns a duration as people type it.
        func length(_ name: String) throws(Malformed) -> Duration {
            guard let length = DurationText.duration(in: try text(name).filter { $0 != " " }) else {
                throw .noLength(name)
            }
            return length
        }

        func flag(_ name: String) throws(Malformed) -> Bool {
            switch json[name] {
            case nil, .null: return false
            case .bool(let flag): return flag
            default: throw .isNot(name, .flag)
            }
        }
    }
}

extension EventID {
    /// The event in requests and answers: `replica/seq`.
    var text: String { "\(replica.text)/\(seq)" }

    /// Creates the name from `replica/seq`, or nil for any other text.
    fileprivate init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let replica = ReplicaID(text: String(parts[0])), let seq = UInt64(parts[1])
        else { return nil }
        self.init(replica: replica, seq: seq)
    }
}

extension BackdatingConsent {
    /// The member of a request that accepts this single consequence.
    var member: String { self == .shortReach ? "short" : "uncounted" }
}
