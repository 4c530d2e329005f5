/// Identities with unsupported kinds of keys, made by other programs: `openssl genpkey` and `openssl req
/// -x509`.
enum OtherKeys {
    static let all = [p384, ed25519]

    private static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB9CH0fuYc17yoLJPht
        hZJZ9YmhDQ9PCrdrQ49dRLJjaPwnDth0ab0bA9F5Vk8ILZ2hZANiAARFgZkqz3xj
        Tv3NjQqQ4yecEvRueq180PeM8Yi5UnZqC5UVg846Bf9yL3ybq8u5jGJlHLuCbS/Y
        SPtPoPQWNArad9CDDAPmEIKowZqySeBA87lf9Xt5N4XH/FoH0/Mjrog=
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBdDCB+6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAXgwHhcNMjYx
        MTIyMTExMTI3WhcNMjYxMjIyMTExMTI3WjAMMQowCAYDVQQDDAF4MHYwEAYHKoZI
        zj0CAQYFK4EEACIDYgAERYGZKs98Y079zY0KkOMnnBL0bnqtfND3jPGIuVJ2aguV
        FYPOOgX/ci98m6vLuYxiZRy7gm0v2Ej7T6D0FjQK2nfQgwwD5hCCqMGaskngQPO5
        X/V7eTeFx/xaB9PzI66IozEwLzAfBgNVHSMEGDAWgBReaqLBwTEtLLav4Rg6Bcju
        w8UN1TAMBgNVHRMBAf8EAjAAMAoGCCqGSM49BAMCA2gAMGUCME8gZZBwyRufuaHg
        JPw2AgwH3A3EQCFtN35ompyetu92L5zOuvrtibashGHuWELzjgIxAOZbmSJzY3kJ
        5DOeGPBrYVaA0oUDcKPxMd7MPqgRKjyzpl5XXAJOSWcXNIFHWSXOJQ==
        -----END CERTIFICATE-----
        """

    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIBf2FEWwuuuWJfX3C0Y6FjvEnvf6ziOySd0lA2H9hWtt
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIH3MIGqoAMCAQICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAXgwHhcNMjYxMTIyMTEx
        MTI3WhcNMjYxMjIyMTExMTI3WjAMMQowCAYDVQQDDAF4MCowBQYDK2VwAyEAWxf1
        gp648H7OLcnDZ9N+DXRCoC3105HjssWPSC9KT1GjMTAvMB8GA1UdIwQYMBaAFEx9
        FpW4BxfoTB3dNXSN7WuZzGLJMAwGA1UdEwEB/wQCMAAwBQYDK2VwA0EAY7zbzp5H
        Ia7Vos8jBasddL4vO2UKIBrFqoFA2grH4GF6BYZ/yxaM2i734wbPlX706v1YAY9+
        3Coti854T8qrBQ==
        -----END CERTIFICATE-----
        """
}
