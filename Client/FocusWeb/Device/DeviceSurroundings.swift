import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusText

/// The surroundings of a `RunningDevice`. They stay if another one takes its place, because changes couldn't be stored.
struct DeviceSurroundings {
    let browser: any WebBrowser
    let clocks: BrowserClocks
    /// The alarms of the device that runs.
    let time: DeadlineScheduler
    let configuration: BrowserConfiguration
    /// Makes the secure channel to the server on a WebSocket.
    let makeChannel: SecureChannelMaker
    /// Passes on an output once all awaited changes before it are stored.
    let output: (HeldOutputs.Output) -> Void
}

/// The data about the browser, which a device gets when it begins.
struct BrowserConfiguration {
    /// The server's address, in words.
    let address: String
    /// The name of the browser, which is the device's name for others until a person gives it another.
    let host: String

    /// The configuration in a JSON object. Without `origin`, the address is empty; without `host`, the name is
    /// `browser`.
    init(parsing json: [UInt8]) {
        let object = try? JSON(parsing: json)
        let origin = object?["origin"]?.text ?? ""
        address = origin.split(separator: "/").last.map { String($0) } ?? origin
        host = object?["host"]?.text ?? "browser"
    }
}

extension Platform {
    /// The platform of a device with this storage.
    init(_ storage: BrowserStorage, _ clocks: BrowserClocks, host: String, in browser: any WebBrowser) {
        // The device and the browser's calls share one thread.
        nonisolated(unsafe) let storage = storage
        // As above.
        nonisolated(unsafe) let browser = browser
        self.init(
            clocks: clocks.machine, hostName: { host }, zone: { browser.zone },
            random: { (count) throws(SealError) in SecretBytes(browser.random(count)) },
            hasKey: { _ in storage.deviceKey != nil },
            // The copy of a log can't be used in a browser, so it needs no key.
            archiveKey: { (_, _) throws(DeviceFailure) in storage.deviceKey = nil })
    }
}

/// The key of a device, which is stored beside its log.
struct StoredDeviceKey {
    private let device: Device
    private let storage: BrowserStorage

    init(_ device: Device, _ storage: BrowserStorage) {
        self.device = device
        self.storage = storage
    }

    /// Returns the key. Makes one if there is none and the device is in no group.
    ///
    /// - Throws: `DeviceFailure.key` if this isn't the key by which the group knows the device.
    func loadOrCreate() throws(LocalFailure) -> (DeviceKeyPair, DeviceSecrets) {
        let (group, known) = try LocalFailure.converting { () throws(StoreError) in
            (try device.store.group(), try device.store.deviceKey())
        }
        let isKnown = group != nil && known != nil
        do throws(SealError) {
            if let pair = storage.deviceKey.flatMap({ DeviceKeyPair(encoded: $0) }) {
                let secrets = try secrets(of: pair)
                if !isKnown || secrets.hash == known { return (pair, secrets) }
            } else if !isKnown {
                let pair = try DeviceKeyPair(device.platform.random)
                storage.deviceKey = pair.encoded
                return (pair, try secrets(of: pair))
            }
        } catch { throw .seal(error) }
        throw .device(.key(storage.deviceKey == nil ? .gone : .another, path: device.home.identity))
    }

    private func secrets(of pair: DeviceKeyPair) throws(SealError) -> DeviceSecrets {
        try DeviceSecrets(pair.key, random: device.platform.random)
    }
}
