import { demoBlock } from './demo-block.ts'
import type { DemoPlatform } from './demo.ts'
import { z } from 'zod'

const demoSwitch = z
  .strictObject({
    id: z.string().describe('Stable, for programs'),
    label: z.string(),
    hint: z.string(),
    fault: z.record(z.string(), z.unknown()).describe('As `injectFault` takes it'),
    lasting: z.boolean().describe('Stays on until it is switched off'),
  })
  .meta({ id: 'DemoSwitch', description: 'A fault that a visitor may try' })

const demoPlatform = z
  .strictObject({
    platform: z.string(),
    label: z.string(),
    groups: z.boolean().describe('Whether people and the bot can be together in a group'),
    confirms: z.boolean().describe('Whether the platform hears that a message was received'),
    acts: z.array(z.string()).describe('What a person with a phone can do with a code; empty: there are no codes'),
    page: z.string().describe("Address of the emulator's own page"),
    switches: z.array(demoSwitch),
  })
  .meta({ id: 'DemoPlatform', description: 'An emulated platform' }) satisfies z.ZodType<DemoPlatform>

const named = z.strictObject({ id: z.string(), name: z.string() })

/** Answer of `GET /api/demo`. */
export const demoShape = z.strictObject({
  running: z.literal(true),
  platforms: z.array(demoPlatform),
  people: z.array(named).describe('Whom a visitor can be'),
  group: z.strictObject({ id: z.string(), title: z.string() }),
})

const demoLine = z
  .strictObject({
    id: z.string(),
    by: z.enum(['person', 'bot']),
    name: z.string(),
    at: z.number(),
    text: z.string().describe('In the markup of the platform'),
    blocks: z.array(demoBlock),
    unfinished: z.boolean().describe('It is still being written'),
    edited: z.boolean(),
    files: z.array(z.string()),
    way: z.enum(['sent', 'delivered', 'confirmed']).nullable().describe('Of a person: how far it has come'),
  })
  .meta({ id: 'DemoLine', description: 'A message as people see it' })

/** An event of `GET /api/demo/stream`. */
export const demoEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('pane'),
      platform: z.string(),
      bot: z.string(),
      connected: z.boolean(),
      code: z.enum(['waiting', 'scanned']).nullable().describe('A code that waits for the person with the phone'),
      faults: z.array(z.strictObject({ switch: z.string().nullable(), id: z.int(), left: z.int().nullable() })),
    }),
    z.strictObject({
      type: z.literal('chat'),
      platform: z.string(),
      chat: z.string().describe("A person's id, or the group's"),
      typing: z.boolean(),
      ids: z.array(z.string()).describe('All that are shown, oldest first'),
      lines: z.array(demoLine).describe('Those that are new or look different now'),
    }),
  ])
  .meta({ id: 'DemoEvent', description: 'What has changed on an emulated platform' })
