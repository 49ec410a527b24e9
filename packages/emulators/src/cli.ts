#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { startTelegramEmulator } from './telegram/emulator.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, history: { type: 'string', default: '10000' } },
})

const emulator = await startTelegramEmulator({
  port: Number(values.port),
  history: Number(values.history),
  // A bot that met an earlier process here takes messages with its ids for repeated ones.
  idsAbove: Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000),
})
const [bot] = await emulator.control.bots()
process.stdout.write(`${JSON.stringify({ platform: 'telegram', url: emulator.url, bot })}\n`)

const stop = (): void => {
  void emulator.close().then(() => process.exit(0))
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
