import FocusCore
import FocusFront
import Testing

@Suite("Settings as text")
struct SettingTextTests {
    @Test("the text of every value at the edge of a range reads back", arguments: SettingKey.allCases)
    func roundTrip(key: SettingKey) {
        for value in [key.range.lowerBound, key.range.upperBound, Settings()[key]] {
            #expect(SettingText.value(of: key, in: SettingText.text(value, of: key)) == value)
        }
        #expect(SettingText.value(of: key, in: "\(key.range.upperBound + 1)s") == nil)
        #expect(SettingText.value(of: key, in: "") == nil)
    }

    @Test("a length without a unit is minutes, a switch is on or off")
    func forms() {
        #expect(SettingText.value(of: .workLength, in: "25") == 1500)
        #expect(SettingText.text(1500, of: .workLength) == "25m")
        #expect(SettingText.value(of: .longBreakFrequency, in: "4") == 4)
        #expect(SettingText.value(of: .longBreakFrequency, in: "4m") == nil)
        #expect(SettingText.value(of: .autoStartWork, in: "off") == 0)
        #expect(SettingText.text(1, of: .autoStartBreaks) == "on")
    }
}
