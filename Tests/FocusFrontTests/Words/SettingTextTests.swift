import CommandLineKit
import FocusCore
import FocusDevice
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

    @Test(
        "the text of a laptop's own setting reads back, within its range", arguments: LaptopSetting.allCases)
    func ownRoundTrip(setting: LaptopSetting) {
        let limits = setting.lengths.map { [$0.lowerBound, $0.upperBound] } ?? []
        let names = (setting.names ?? []).map(LaptopSetting.Value.name)
        let others = names.isEmpty ? [.off] + limits.map(LaptopSetting.Value.length) : names
        for value in [setting.initial] + others {
            #expect(setting.value(in: setting.text(value)) == value)
        }
        for name in setting.names ?? [] {
            #expect(setting.range.contains(name) && setting.choices.contains(name))
        }
        for limit in limits { #expect(setting.range.contains(DurationText.text(limit))) }
        #expect(setting.value(in: "1h1s") == nil && setting.value(in: "9s") == nil)
    }

    @Test("a key goes through the values of a setting and begins again, unless it has lengths")
    func next() {
        #expect(LaptopSetting.sound.next(after: .on) == .off)
        #expect(LaptopSetting.sound.next(after: .off) == .on)
        #expect(LaptopSetting.theme.next(after: .name("system")) == .name("light"))
        #expect(LaptopSetting.theme.next(after: .name("dark")) == .name("system"))
        #expect(LaptopSetting.warnBefore.next(after: .off) == nil)
    }

    @Test("days off are names of days in any order, or none")
    func daysOff() {
        for (text, value) in [
            ("sat,sun", 96), ("Sun, SAT", 96), ("mon", 1), ("none", 0), ("off", 0), ("sat,sat", 32),
            ("mon,tue,wed,thu,fri,sat,sun", 127),
        ] as [(String, Int64)] {
            #expect(SettingText.value(of: .daysOff, in: text) == value, "\(text)")
        }
        for text in ["satsun", "sat,", ",", "saturday", "6", "sat sun"] {
            #expect(SettingText.value(of: .daysOff, in: text) == nil, "\(text)")
        }
        #expect(SettingText.text(96, of: .daysOff) == "sat,sun")
    }

    @Test("a length without a unit is minutes, a switch is on or off")
    func forms() {
        #expect(SettingText.value(of: .workLength, in: "25") == 1500)
        #expect(SettingText.value(of: .weeklyGoal, in: "0") == 0)
        for goal in [SettingKey.dailyGoal, .dailyFocus, .weeklyGoal, .weeklyFocus] {
            #expect(SettingText.text(0, of: goal) == "off")
        }
        #expect(SettingText.text(1500, of: .workLength) == "25m")
        #expect(SettingText.value(of: .longBreakFrequency, in: "4") == 4)
        #expect(SettingText.value(of: .longBreakFrequency, in: "4m") == nil)
        #expect(SettingText.value(of: .autoStartWork, in: "off") == 0)
        #expect(SettingText.text(1, of: .autoStartBreaks) == "on")
    }
}
