import ClientSupport
import FocusCore
import FocusDevice
import FocusFront
import TestSupport
import Testing

@Suite("The sentences about one entry of the history")
struct EntrySentenceTests {
    // Thursday, 20 November 2025, 19:00 in Berlin.
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)

    init() { BerlinTime.set() }

    @Test("the entry that a stop recorded is named, and its handle only for commands")
    func recorded() throws {
        laptop.play(("start Report", 600))
        let device = try Device(laptop.machine)
        let stopped = try device.perform(.stop)
        let sentence = "Recorded: 19:00-19:10, 10m, work, stopped, Report"
        #expect(try stopped.recordedSentence(device) == "\(sentence).")
        let withHandle = try #require(try stopped.recordedSentence(device, namesHandle: true))
        #expect(withHandle.hasPrefix("\(sentence) ("))
    }

    @Test("the work that 'done' completed is named too, and a pause names nothing")
    func completed() throws {
        laptop.play(("start Report", 600))
        let device = try Device(laptop.machine)
        let done = try device.perform(.complete)
        #expect(
            try done.recordedSentence(device) == "Recorded: 19:00-19:10, 10m, work, completed, Report.")
        #expect(try device.perform(.pause).recordedSentence(device) == nil)
    }

    @Test("an entry that has the times of a new one is named without a command")
    func duplicate() throws {
        _ = laptop.run("log add Report --from 9:00 --to 10:00")
        let record = try #require(try Device(laptop.machine).history().records.first)
        let sentence = record.duplicateSentence(by: .current)
        #expect(sentence.hasSuffix("already: Thu 20 Nov 2025, 09:00-10:00, work, Report."))
    }
}
