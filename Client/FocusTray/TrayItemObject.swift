import DBusKit

/// The icon as an object on the bus, with the interface StatusNotifierItem of freedesktop.org. Panels read its
/// properties and call it when the icon is clicked.
final class TrayItemObject: BusObject {
    private let content: () -> TrayContent?
    private let click: (Click) -> Void

    /// A click on the icon.
    enum Click {
        case main, middle
    }

    static let path = "/StatusNotifierItem"
    static let interface = "org.kde.StatusNotifierItem"
    /// The type of a picture: width, height, and bytes.
    private static let picture = "(iiay)"

    /// - Parameters:
    ///   - content: Returns the content to show, or nil if there is none yet.
    ///   - click: Handles a click.
    init(content: @escaping () -> TrayContent?, click: @escaping (Click) -> Void) {
        self.content = content
        self.click = click
    }

    let interfaces = [
        BusInterface(
            TrayItemObject.interface,
            methods: [
                .init("Activate", ["i", "i"]), .init("SecondaryActivate", ["i", "i"]),
                .init("ContextMenu", ["i", "i"]), .init("Scroll", ["i", "s"]),
            ],
            signals: [
                .init("NewTitle"), .init("NewIcon"), .init("NewToolTip"), .init("NewStatus", ["s"]),
            ],
            properties: [
                .init("Category", "s"), .init("Id", "s"), .init("Title", "s"), .init("Status", "s"),
                .init("WindowId", "i"), .init("IconName", "s"),
                .init("IconPixmap", "a\(TrayItemObject.picture)"),
                .init("ToolTip", "(sa\(TrayItemObject.picture)ss)"), .init("ItemIsMenu", "b"),
                .init("Menu", "o"),
            ])
    ]

    func answer(
        _ member: String, of interface: String, _ arguments: [BusValue], from sender: String
    ) throws(BusRefusal) -> [BusValue] {
        switch member {
        case "Activate": click(.main)
        case "SecondaryActivate": click(.middle)
        // Panels draw the menu themselves, and scrolling does nothing.
        default: break
        }
        return []
    }

    func value(of property: String, in interface: String) -> BusValue? {
        switch property {
        case "Category": .string("ApplicationStatus")
        case "Id": .string("lockstep")
        case "Title": .string("Lockstep")
        case "Status": .string("Active")
        case "WindowId": .int32(0)
        // A panel that finds a name doesn't read the pictures.
        case "IconName": .string("")
        case "IconPixmap": content().map { TrayItemObject.pictures($0.ring) }
        case "ToolTip":
            content().map {
                .structure([
                    .string(""), .array([], of: TrayItemObject.picture), .string($0.time),
                    .string([$0.label, $0.offline].filter { !$0.isEmpty }.joined(separator: "\n")),
                ])
            }
        case "ItemIsMenu": .bool(false)
        case "Menu": .path(TrayMenuObject.path)
        default: nil
        }
    }

    private static func pictures(_ ring: TrayRing) -> BusValue {
        let pictures = TrayRing.sizes.map { size -> BusValue in
            .structure([.int32(Int32(size)), .int32(Int32(size)), .bytes(ring.picture(size: size))])
        }
        return .array(pictures, of: picture)
    }
}
