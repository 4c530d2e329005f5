import FocusText
import Testing

@Suite("The name of a time zone")
struct ZoneNameTests {
    @Test(
        "people read its name and its offset, programs both apart",
        arguments: [
            ("CET", 3600, "CET (UTC+1)", #"{"name":"CET","offset":"+01:00"}"#),
            ("IST", 19_800, "IST (UTC+5:30)", #"{"name":"IST","offset":"+05:30"}"#),
            ("NST", -12_600, "NST (UTC-3:30)", #"{"name":"NST","offset":"-03:30"}"#),
            ("GMT", 0, "GMT (UTC)", #"{"name":"GMT","offset":"+00:00"}"#),
            ("UTC", 0, "UTC", #"{"name":"UTC","offset":"+00:00"}"#),
            ("+03", 10_800, "UTC+3", #"{"name":null,"offset":"+03:00"}"#),
            ("-00", 0, "UTC", #"{"name":null,"offset":"+00:00"}"#),
            ("", 50_400, "UTC+14", #"{"name":null,"offset":"+14:00"}"#),
            (nil, 300, "UTC+0:05", #"{"name":null,"offset":"+00:05"}"#),
            ("LMT", -1, "LMT (UTC-0:01)", #"{"name":"LMT","offset":"-00:01"}"#),
        ] as [(String?, Int64, String, String)])
    func text(abbreviation: String?, offset: Int64, text: String, json: String) {
        let zone = ZoneName(abbreviation: abbreviation, offset: .seconds(offset))
        #expect(zone.text == text)
        #expect(zone.json.description == json)
    }
}
