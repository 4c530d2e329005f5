import CDBus
import FocusNet
import SystemKit

/// One connection to a bus, driven by an event loop. libdbus has no thread, and reads and writes only in
/// `work`, without waiting.
final class BusLink {
    /// libdbus' functions.
    let dbus: lockstep_dbus
    private let loop: EventLoop
    private let receive: (BusMessage) -> Void
    private let lose: () -> Void
    /// Nil once it is closed.
    private var connection: OpaquePointer?
    /// A copy of the connection's descriptor. libdbus closes its own by itself when the bus is gone, and a
    /// watched descriptor must stay open.
    private let descriptor: OwnedDescriptor
    private var watch: DescriptorWatch?
    /// The timer of the next `work` without an event.
    private var alarm: LoopTimer?

    /// The time between attempts to write to a bus that doesn't read, or is still authenticating this user.
    private static let pause = Duration.milliseconds(10)

    /// Connects to a socket of this machine.
    ///
    /// - Parameters:
    ///   - receive: Called with each message. It may close the link.
    ///   - lose: Called once, if the bus closes the connection.
    /// - Throws: `.noLibrary`, or `.noBus` if nothing answers.
    init(
        _ address: BusAddress, on loop: EventLoop, _ receive: @escaping (BusMessage) -> Void,
        lose: @escaping () -> Void
    ) throws(BusError) {
        let dbus = try lockstep_dbus.opened()
        guard let connection = dbus.dbus_connection_open_private(address.text, nil) else { throw .noBus }
        dbus.dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus.dbus_connection_set_max_message_size(connection, BusLimits.message)
        dbus.dbus_connection_set_max_received_size(connection, 4 * BusLimits.message)
        var number: Int32 = -1
        guard dbus.dbus_connection_get_unix_fd(connection, &number) != 0,
            let descriptor = OwnedDescriptor(duplicate(number))
        else {
            dbus.dbus_connection_close(connection)
            dbus.dbus_connection_unref(connection)
            throw .noBus
        }
        self.dbus = dbus
        self.loop = loop
        self.receive = receive
        self.lose = lose
        self.connection = connection
        self.descriptor = descriptor
        do throws(NetError) {
            watch = try loop.watch(descriptor: descriptor.number) { [weak self] in self?.work() }
        } catch {
            close()
            throw .noBus
        }
        workLater(.zero)
    }

    deinit { close() }

    /// Sends a message soon, and returns its serial number. Returns nil if too many bytes wait already, or
    /// the link is closed.
    func send(_ message: BusMessage) -> UInt32? {
        guard let connection, dbus.dbus_connection_get_outgoing_size(connection) < BusLimits.unsent else {
            return nil
        }
        var serial: UInt32 = 0
        guard dbus.dbus_connection_send(connection, message.pointer, &serial) != 0 else { return nil }
        workLater(.zero)
        return serial
    }

    /// Closes the connection; `lose` isn't called. May be called twice.
    func close() {
        guard let connection else { return }
        self.connection = nil
        alarm?.cancel()
        watch?.cancel()
        dbus.dbus_connection_close(connection)
        dbus.dbus_connection_unref(connection)
    }

    private func workLater(_ wait: Duration) {
        alarm?.cancel()
        alarm = loop.schedule(after: wait) { [weak self] in self?.work() }
    }

    /// Reads and writes what is possible at once, and passes on some messages.
    private func work() {
        guard let connection else { return }
        _ = dbus.dbus_connection_read_write(connection, 0)
        // Divides the received bytes into messages.
        _ = dbus.dbus_connection_get_dispatch_status(connection)
        var count = 0
        while count < BusLimits.turn,
            let message = BusMessage(dbus, dbus.dbus_connection_pop_message(connection))
        {
            count += 1
            receive(message)
            guard self.connection != nil else { return }
        }
        if count == BusLimits.turn {
            workLater(.zero)
        } else if dbus.dbus_connection_get_is_connected(connection) == 0 {
            close()
            lose()
        } else if dbus.dbus_connection_has_messages_to_send(connection) != 0 {
            workLater(BusLink.pause)
        }
    }
}

/// Returns a copy of a descriptor that other programs don't inherit; -1 if there is none left.
private func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
