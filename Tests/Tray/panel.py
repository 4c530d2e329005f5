#!/usr/bin/python3
"""A desktop's panel for tests of the tray's icon, on the bus in DBUS_SESSION_BUS_ADDRESS.

Usage: panel.py watch             be the list of icons, and print each signal of an icon
       panel.py items             print the names of the icons in the list
       panel.py menu              print the menu of the first icon: id, "on" or "off", and text; "-" for a separator
       panel.py click ID          click a line of that menu
       panel.py activate|middle   click that icon
       panel.py tooltip           print its tooltip's title and text
       panel.py icon              print its pictures' sizes, and the number of opaque pixels of each
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"


class Watcher(dbus.service.Object):
    """The list of icons. An icon leaves it when its name on the bus is released."""

    def __init__(self, bus):
        self.bus = bus
        self.names = []
        super().__init__(bus, "/StatusNotifierWatcher")

    @dbus.service.method(WATCHER, in_signature="s", out_signature="", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender):
        name = sender if service.startswith("/") else str(service)
        if name not in self.names:
            self.names.append(name)
        self.bus.watch_name_owner(name, lambda owner: None if owner else self.remove(name))
        print("registered", flush=True)

    def remove(self, name):
        if name in self.names:
            self.names.remove(name)
            print("removed", flush=True)

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, _interface, _name):
        return dbus.Array(self.names, signature="s")


def watch():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    watcher = Watcher(bus)
    for interface in (ITEM, MENU):
        bus.add_signal_receiver(
            lambda *_, member: print(member, flush=True), dbus_interface=interface, member_keyword="member"
        )
    name = dbus.service.BusName(WATCHER, bus, do_not_queue=True)
    print("watching", flush=True)
    GLib.MainLoop().run()
    del watcher, name


class Icon:
    """The first icon in the list."""

    def __init__(self, bus):
        names = items(bus)
        if not names:
            sys.exit("panel.py: there is no icon.")
        self.item = bus.get_object(names[0], "/StatusNotifierItem", introspect=False)
        self.values = self.item.GetAll(ITEM, dbus_interface="org.freedesktop.DBus.Properties")
        self.menu = bus.get_object(names[0], self.values["Menu"], introspect=False)

    def show_menu(self):
        self.menu.AboutToShow(dbus.Int32(0), dbus_interface=MENU)
        _, (_, _, children) = self.menu.GetLayout(
            dbus.Int32(0), dbus.Int32(-1), dbus.Array([], signature="s"), dbus_interface=MENU
        )
        for number, values, _ in children:
            if values.get("type") == "separator":
                print(number, "-")
            else:
                print(number, "on" if values.get("enabled", True) else "off", values["label"])

    def click(self, number):
        self.menu.Event(
            dbus.Int32(number), "clicked", dbus.String("", variant_level=1), dbus.UInt32(0), dbus_interface=MENU
        )

    def show_icon(self):
        for width, height, pixels in self.values["IconPixmap"]:
            opaque = sum(1 for opacity in bytes(pixels)[::4] if opacity == 255)
            print(f"{width}x{height} {len(pixels)} {opaque}")


def items(bus):
    watcher = bus.get_object(WATCHER, "/StatusNotifierWatcher", introspect=False)
    return [
        str(name)
        for name in watcher.Get(WATCHER, "RegisteredStatusNotifierItems", dbus_interface="org.freedesktop.DBus.Properties")
    ]


def main():
    command, *rest = sys.argv[1:] or [""]
    if command == "watch":
        return watch()
    bus = dbus.SessionBus()
    if command == "items":
        print("\n".join(items(bus)))
        return None
    icon = Icon(bus)
    if command == "menu":
        icon.show_menu()
    elif command == "click":
        icon.click(int(rest[0]))
    elif command in ("activate", "middle"):
        method = "Activate" if command == "activate" else "SecondaryActivate"
        icon.item.get_dbus_method(method, dbus_interface=ITEM)(dbus.Int32(0), dbus.Int32(0))
    elif command == "tooltip":
        print(icon.values["ToolTip"][2], icon.values["ToolTip"][3], sep="|")
    elif command == "icon":
        icon.show_icon()
    else:
        sys.exit(__doc__)
    return None


if __name__ == "__main__":
    main()
