import FocusDevice
import FocusSeal

// The functions that the page's worker calls (docs/architecture.md, "The browser's module"). Bytes are passed in
// a buffer of the module.

// There is only one thread, as for the buffer.
nonisolated(unsafe) private var device = makeDevice()
// As above.
nonisolated(unsafe) private var input: UnsafeMutableRawBufferPointer = .allocate(
    byteCount: 4096, alignment: 16)

private func makeDevice() -> BrowserDevice {
    BrowserZones.use { ImportedBrowser.offset(of: $0, at: $1) }
    return BrowserDevice(in: ImportedBrowser()) { (key, pin) throws(SealError) in try TLSChannel(key, pin) }
}

/// Returns a copy of the first bytes in the buffer.
private func bytes(_ count: Int32) -> [UInt8] { Array(input.prefix(max(0, Int(count)))) }

/// Returns a pointer to room for `count` bytes of input.
@_expose(wasm, "buffer") @_cdecl("lockstep_export_buffer")
public func exportedBuffer(_ count: Int32) -> UnsafeMutableRawPointer? {
    if count > input.count {
        input.deallocate()
        input = .allocate(byteCount: Int(count), alignment: 16)
    }
    return input.baseAddress
}

/// Adds the stored record in the buffer. Called for each of them before `begin`.
@_expose(wasm, "stored") @_cdecl("lockstep_export_stored")
public func exportedStored(_ count: Int32) { device.stored(bytes(count)) }

/// Begins with the configuration in the buffer. Returns the number of a `BrowserDevice.BeginResult`.
@_expose(wasm, "begin") @_cdecl("lockstep_export_begin")
public func exportedBegin(_ wall: Double, _ steady: Double, _ count: Int32) -> Int32 {
    device.begin(bytes(count), at: BrowserTime(wall: wall, steady: steady)).rawValue
}

/// Handles a page's request, which is in the buffer.
@_expose(wasm, "request") @_cdecl("lockstep_export_request")
public func exportedRequest(_ wall: Double, _ steady: Double, _ id: Int32, _ count: Int32) {
    device.request(id, bytes(count), at: BrowserTime(wall: wall, steady: steady))
}

/// Sends states to a page from now on. The buffer has its zone's name.
@_expose(wasm, "follow") @_cdecl("lockstep_export_follow")
public func exportedFollow(_ wall: Double, _ steady: Double, _ page: Int32, _ count: Int32) {
    let zone = String(decoding: bytes(count), as: UTF8.self)
    device.follow(page, zone: zone, at: BrowserTime(wall: wall, steady: steady))
}

/// Sends no more states to a page.
@_expose(wasm, "unfollow") @_cdecl("lockstep_export_unfollow")
public func exportedUnfollow(_ wall: Double, _ steady: Double, _ page: Int32) {
    device.unfollow(page, at: BrowserTime(wall: wall, steady: steady))
}

/// Called when the WebSocket is open.
@_expose(wasm, "opened") @_cdecl("lockstep_export_opened")
public func exportedOpened(_ wall: Double, _ steady: Double) {
    device.opened(at: BrowserTime(wall: wall, steady: steady))
}

/// Called when the WebSocket has received the bytes in the buffer.
@_expose(wasm, "received") @_cdecl("lockstep_export_received")
public func exportedReceived(_ wall: Double, _ steady: Double, _ count: Int32) {
    device.received(bytes(count), at: BrowserTime(wall: wall, steady: steady))
}

/// Called when the WebSocket has closed, or couldn't be opened.
@_expose(wasm, "closed") @_cdecl("lockstep_export_closed")
public func exportedClosed(_ wall: Double, _ steady: Double) {
    device.closed(at: BrowserTime(wall: wall, steady: steady))
}

/// Called when all changes up to this number are stored.
@_expose(wasm, "kept") @_cdecl("lockstep_export_kept")
public func exportedKept(_ wall: Double, _ steady: Double, _ number: Double) {
    let time = BrowserTime(wall: wall, steady: steady)
    device.stored(upTo: UInt64(exactly: number) ?? 0, at: time)
}

/// Called when storing changes has failed, for the reason with this number.
@_expose(wasm, "failed") @_cdecl("lockstep_export_failed")
public func exportedFailed(_ wall: Double, _ steady: Double, _ code: Int32) {
    let failure = BrowserDevice.StoringFailure(rawValue: code) ?? .other
    device.failed(failure, at: BrowserTime(wall: wall, steady: steady))
}

/// Called at the time that the last call of `wake` named.
@_expose(wasm, "woke") @_cdecl("lockstep_export_woke")
public func exportedWoke(_ wall: Double, _ steady: Double) {
    device.woke(at: BrowserTime(wall: wall, steady: steady))
}

/// Called when the page is visible again, or the browser is online again.
@_expose(wasm, "resumed") @_cdecl("lockstep_export_resumed")
public func exportedResumed(_ wall: Double, _ steady: Double) {
    device.resumed(at: BrowserTime(wall: wall, steady: steady))
}
