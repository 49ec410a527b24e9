import { expect, it } from 'vitest'
import { manualClock } from '../testing/clock.ts'
import { fakePlatform } from '../testing/fake-platform.ts'
import { checkTodaysLog } from './diagnose.ts'

const BOT = 'owner/telegram/42'
const line = (state: string, bot: string = BOT, why = 'secret wrong'): string =>
  JSON.stringify({ level: 'info', time: '2026-11-21T08:00:00.000Z', bot, state, why, msg: 'Channel state' })
const AT = Date.parse('2026-11-21T08:00:00.000Z')

const cases: readonly [why: string, lines: readonly string[] | null, running: boolean, found: object][] = [
  ['that it connected', [line('connecting'), line('running')], true, { status: 'pass', at: AT }],
  [
    'that it was refused',
    [line('running'), line('rejected')],
    false,
    { status: 'fail', at: AT, detail: expect.stringContaining('secret wrong') },
  ],
  ['a refusal that has been mended', [line('rejected'), line('running')], true, { status: 'pass' }],
  ['a refusal of another bot', [line('rejected', 'owner/telegram/7')], true, { status: 'pass' }],
  ['a bot whose name begins alike', [line('rejected', `${BOT}2`)], false, { status: 'warn' }],
  ['nothing, while it has been connected since before', [], true, { status: 'pass' }],
  ['nothing of it', ['{"msg":"Request"}'], false, { status: 'warn' }],
  ['a line that was cut', ['"Channel state" owner/telegram/42 {'], false, { status: 'warn' }],
  ['no file', null, false, { status: 'warn' }],
]
it.each(cases)('tells from the log: %s', async (_why, lines, running, found) => {
  async function* given(all: readonly string[]): AsyncGenerator<string> {
    yield* all
  }
  const { platform } = fakePlatform(manualClock(AT))
  expect(await checkTodaysLog(platform, BOT, lines && given(lines), running)).toMatchObject(found)
})
