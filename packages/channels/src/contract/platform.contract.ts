import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeConfirming, describeCredentials, describeReceiving } from './receiving.contract.ts'
import { describeCapabilities, describeSending } from './sending.contract.ts'
import { expectNoSecret, never, openStage, type Stage } from './stage.contract.ts'
import type { PlatformHarness } from './world.contract.ts'

/** What every platform does, run against its emulator. */
export function describePlatform<C>(name: string, harness: PlatformHarness<C>): void {
  describe(name, () => {
    let stage: Stage<C>
    beforeEach(async () => {
      stage = await openStage(harness)
    })
    afterEach(() => stage.close())
    const at = (): Stage<C> => stage
    describeCredentials(at)
    describeReceiving(at)
    describeConfirming(at, harness.redelivers)
    describeSending(at)
    describeCapabilities(at, harness.findsOnlyAbsence === true)
    describeSecrets(at)
  })
}

function describeSecrets<C>(at: () => Stage<C>): void {
  it('shows no secret in any error, outcome or log line', async () => {
    const { platform, world, io, lonely, connection, lines, part, hear, receive: start } = at()
    const { chat } = await hear('hello')
    const seen: unknown[] = []
    seen.push(await platform.validate(world.credentials, lonely, never))
    seen.push(await platform.diagnose(world.credentials, lonely, never))
    seen.push(await start({ connection: platform.connect(world.credentials, lonely) }).ended)
    for (const how of ['shown', 'lost', 'proxy_page'] as const) {
      if (await world.lose(how)) seen.push(await connection.send(part(chat, 'x'), never))
    }
    const unknownMedia = { kind: 'file', ref: 'unheard-of' } as const
    seen.push(await connection.can.fetchMedia?.(unknownMedia, never).catch((error: unknown) => error))
    await world.revoke()
    seen.push(await connection.send(part(chat, 'x'), never))
    await connection.can.typing?.(chat, never)
    seen.push(await start().ended)
    seen.push(await platform.validate(world.credentials, io, never))
    seen.push(await platform.diagnose(world.credentials, io, never))
    expect(seen.length).toBeGreaterThan(8)
    expectNoSecret(world.secrets, [seen, lines])
  })
}
