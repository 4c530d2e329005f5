import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusPage
import FocusText
import SQLiteKit

/// A device with a log on the disk in memory, behind a page.
enum PageInMemory {
    /// Whether a page gets states, answers, documents and the failure of a group operation, as from an agent.
    static func answers() -> Bool {
        BrowserZones.use { name, _ in name == "Europe/Berlin" ? .seconds(3600) : name.isEmpty ? .zero : nil }
        let time = StillTime()
        guard let device = try? DeviceInMemory.device(.virtual(VirtualDisk(canLosePower: false))) else {
            return false
        }
        let agent = Agent(device, by: noRoutes, time: time, random: { 1 })
        guard (try? agent.start()) != nil else { return false }
        let pages = PageDevice(
            device, time, recordSuspension: { agent.recordSuspension() }, announceChanges: { agent.poked() })
        guard let state = try? pages.follow(), "\(state.json(by: .current))".utf8.count > 1_000 else {
            return false
        }
        let requests: [(request: String, answer: String?)] = [
            (press(#"{\"press\":\"start\",\"label\":\"Write\"}"#), ""),
            (
                press(#"{\"press\":\"start\"}"#),
                #"{"error":"It is already running."}"#
            ),
            (get("/labels.json"), #"{"labels":[]}"# + "\n"), (get("/log.json?from=today"), nil),
            (get("/stats.json?zone=Europe%2FBerlin"), nil), (get("/devices.json"), nil),
        ]
        for (request, expected) in requests {
            guard let answer = answer(request, pages, device), answer.status < 500 else { return false }
            if let expected, String(decoding: answer.body, as: UTF8.self) != expected { return false }
        }
        return invite(pages, device, time)?.status == 409
    }

    private static var noRoutes: ServerRoutesProvider {
        { (_, _) throws(LocalFailure) in throw .device(.homeless) }
    }

    private static func press(_ body: String) -> String {
        #"{"method":"POST","path":"/press?page=a","body":""# + body + #""}"#
    }

    private static func get(_ path: String) -> String { #"{"method":"GET","path":""# + path + #""}"# }

    private static func answer(_ text: String, _ pages: PageDevice, _ device: Device) -> PageAnswer? {
        do throws(PageError) {
            switch try pages.step(try PageRequest(parsing: Array(text.utf8))) {
            case .answer(let answer): return answer
            case .document(let maker): return try maker(device, DocumentCache())
            case .operation, .giveUpJoining, .unknown: return nil
            }
        } catch {
            return PageAnswer(error, device.home)
        }
    }

    /// Returns the answer to a request for an invite, which a device in no group can't make.
    private static func invite(_ pages: PageDevice, _ device: Device, _ time: StillTime) -> PageAnswer? {
        var answer: PageAnswer?
        do throws(PageError) {
            let request = PageRequest("POST", "/invite", body: Array("{}".utf8))
            guard case .operation(let operation) = try pages.step(request),
                case .request(let asked, let maker) = try operation.start(on: device)
            else { return nil }
            _ = OperationRunner.start(asked, on: device, by: noRoutes, time: time) { result in
                do throws(PageError) { answer = try maker(result) } catch {
                    answer = PageAnswer(error, device.home)
                }
            }
        } catch { return nil }
        return answer
    }
}
