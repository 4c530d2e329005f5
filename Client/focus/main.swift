import FocusClient

await FocusProgram.main()
