import DBusKit

/// The menu as an object on the bus, with the interface com.canonical.dbusmenu. Panels draw it, and report the
/// clicks in it.
final class TrayMenuObject: BusObject {
    private let menu: () -> TrayMenu
    private let open: () -> Void
    private let click: (TrayLine, TrayTarget?) -> Void

    static let path = "/MenuBar"
    static let interface = "com.canonical.dbusmenu"
    /// The id of the menu itself.
    static let root: Int32 = 0

    /// - Parameters:
    ///   - menu: Returns the present menu.
    ///   - open: Brings the menu up to date, because it is about to be seen.
    ///   - click: Handles a click on a line of a menu with this target, or nil if the menu is too old.
    init(
        menu: @escaping () -> TrayMenu, open: @escaping () -> Void,
        click: @escaping (TrayLine, TrayTarget?) -> Void
    ) {
        self.menu = menu
        self.open = open
        self.click = click
    }

    let interfaces = [
        BusInterface(
            TrayMenuObject.interface,
            methods: [
                .init("GetLayout", ["i", "i", "as"], returns: ["u", "(ia{sv}av)"]),
                .init("GetGroupProperties", ["ai", "as"], returns: ["a(ia{sv})"]),
                .init("GetProperty", ["i", "s"], returns: ["v"]),
                .init("Event", ["i", "s", "v", "u"]),
                .init("EventGroup", ["a(isvu)"], returns: ["ai"]),
                .init("AboutToShow", ["i"], returns: ["b"]),
                .init("AboutToShowGroup", ["ai"], returns: ["ai", "ai"]),
            ],
            signals: [
                .init("ItemsPropertiesUpdated", ["a(ia{sv})", "a(ias)"]),
                .init("LayoutUpdated", ["u", "i"]),
            ],
            properties: [
                .init("Version", "u"), .init("TextDirection", "s"), .init("Status", "s"),
                .init("IconThemePath", "as"),
            ])
    ]

    func value(of property: String, in interface: String) -> BusValue? {
        switch property {
        case "Version": .uint32(3)
        case "TextDirection": .string("ltr")
        case "Status": .string("normal")
        case "IconThemePath": .strings([])
        default: nil
        }
    }

    func answer(
        _ member: String, of interface: String, _ arguments: [BusValue], from sender: String
    ) throws(BusRefusal) -> [BusValue] {
        // The arguments have the declared types.
        let first = arguments.first
        switch member {
        case "GetLayout":
            let item = try item(id(first), hasChildren: arguments[1].integer != 0)
            return [.uint32(menu().revision), item]
        case "GetGroupProperties":
            let wanted = ids(first)
            let known = [TrayMenuObject.root] + lines.map { menu().id(of: $0) }
            var entries: [BusValue] = []
            for id in known where wanted.isEmpty || wanted.contains(id) {
                entries.append(.structure([.int32(id), .dictionary(try properties(of: id))]))
            }
            return [.array(entries, of: "(ia{sv})")]
        case "GetProperty":
            guard let value = try properties(of: id(first))[arguments[1].text ?? ""] else {
                throw TrayMenuObject.unknown
            }
            return [.variant(value)]
        case "Event":
            guard handle(id(first), arguments[1].text) else { throw TrayMenuObject.unknown }
            return []
        case "EventGroup":
            let events = first?.elements?.compactMap(\.elements) ?? []
            // A person opens or clicks once. A message may hold thousands of events.
            var handled: Set<String> = []
            let failed = events.filter { event in
                let kind = event.dropFirst().first?.text ?? ""
                let isKnown = handle(id(event.first), handled.contains(kind) ? nil : kind)
                if isKnown { handled.insert(kind) }
                return !isKnown
            }
            return [.array(failed.map { .int32(id($0.first)) }, of: "i")]
        case "AboutToShow": return [.bool(isChangedByOpening())]
        case "AboutToShowGroup":
            let changed: [BusValue] = isChangedByOpening() ? [.int32(TrayMenuObject.root)] : []
            return [.array(changed, of: "i"), .array([], of: "i")]
        default: throw TrayMenuObject.unknown
        }
    }

    private static let unknown = BusRefusal("org.freedesktop.DBus.Error.InvalidArgs", "unknown id or name")

    /// Handles an event. Returns false if no line has the id.
    private func handle(_ id: Int32, _ kind: String?) -> Bool {
        if id == TrayMenuObject.root {
            if kind == "opened" { open() }
            return true
        }
        guard let (line, target) = menu().line(id) else { return false }
        if kind == "clicked" { click(line, target) }
        return true
    }

    private func isChangedByOpening() -> Bool {
        let before = menu().revision
        open()
        return menu().revision != before
    }

    // MARK: - Items

    private var lines: [TrayLine] { menu().content?.lines ?? [] }

    /// Returns a line of the present menu, or the menu itself with its lines.
    private func item(_ id: Int32, hasChildren: Bool) throws(BusRefusal) -> BusValue {
        var children: [BusValue] = []
        if id == TrayMenuObject.root, hasChildren {
            for line in lines { children.append(.variant(try item(menu().id(of: line), hasChildren: false))) }
        }
        return .structure([
            .int32(id), .dictionary(try properties(of: id)), .array(children, of: "v"),
        ])
    }

    /// Returns the properties of an item that don't have their initial values.
    private func properties(of id: Int32) throws(BusRefusal) -> [String: BusValue] {
        if id == TrayMenuObject.root { return ["children-display": .string("submenu")] }
        guard let line = menu().line(id)?.line, lines.contains(line), menu().id(of: line) == id,
            let content = menu().content
        else { throw TrayMenuObject.unknown }
        if line.isSeparator { return ["type": .string("separator")] }
        // A single underscore would mark a key.
        let text = BusValue.string(content.text(of: line).replacing("_", with: "__"))
        return line.isEnabled ? ["label": text] : ["label": text, "enabled": .bool(false)]
    }

    /// Returns the new text of the menu's first line, as the arguments of `ItemsPropertiesUpdated`.
    func timeUpdate() -> [BusValue] {
        let id = menu().id(of: .time)
        let entries = (try? properties(of: id)).map { [BusValue.structure([.int32(id), .dictionary($0)])] }
        return [.array(entries ?? [], of: "(ia{sv})"), .array([], of: "(ias)")]
    }

    private func id(_ value: BusValue?) -> Int32 { Int32(truncatingIfNeeded: value?.integer ?? -1) }

    private func ids(_ value: BusValue?) -> Set<Int32> { Set((value?.elements ?? []).map { id($0) }) }
}
