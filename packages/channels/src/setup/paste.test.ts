import { expect, it } from 'vitest'
import { ChannelError, type ChannelErrorCode } from '../errors.ts'
import { manualClock } from '../testing/clock.ts'
import { requestUntilSaved, pasteGuide } from './paste.ts'
import { type Person, personAt } from './testing.ts'

const quiet = (): void => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const io = { fetch, clock: manualClock(0), random: () => 0, log, host: (_: string, url: string) => url }
const FIELDS = [
  { name: 'id', label: 'the id', secret: false },
  { name: 'key', label: 'the key', secret: true },
]
const guide = pasteGuide({ title: 'By hand', instructions: ['Copy both.'], url: 'https://x.example', fields: FIELDS })

/** Pastes the same repeatedly, into a store that refuses so. */
function pasting(...refusals: readonly ChannelErrorCode[]): Person {
  const left = [...refusals]
  return personAt(io, {
    answer: () => ({ id: ' 7 ', key: 'k' }),
    save() {
      const code = left.shift()
      if (code !== undefined) throw new ChannelError(code, { message: `No: ${code}.` })
    },
  })
}

it('asks until the values are saved, and says why it asks again', async () => {
  const person = pasting('credentials_invalid', 'credentials_rejected', 'platform_unreachable', 'bot_in_use')
  expect(await person.follow(guide)).toBeUndefined()
  expect(person.questions.map(({ message }) => message)).toEqual([
    'Paste the id and the key.',
    'No: credentials_invalid.',
    'No: credentials_rejected.',
    'No: platform_unreachable.',
    'No: bot_in_use.',
  ])
  expect(person.questions[0]).toMatchObject({ url: 'https://x.example', fields: FIELDS })
  expect(person.saved).toMatchObject([{ fields: { id: ' 7 ', key: 'k' } }])
})

it('does not ask again where other values mend nothing', async () => {
  const person = pasting('config_unwritable')
  expect(await person.follow(guide)).toMatchObject({ code: 'config_unwritable' })
  expect(person.questions).toHaveLength(1)
})

it('reads what is pasted, and ends after so many tries', async () => {
  const { signal } = new AbortController()
  const read = ({ id = '' }: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({ id: id.trim() })
  expect(await requestUntilSaved(pasting().world, { fields: FIELDS }, signal, read)).toEqual({ id: '7' })
  const wrong = pasting('credentials_rejected', 'credentials_rejected', 'credentials_rejected')
  await expect(requestUntilSaved(wrong.world, { fields: FIELDS }, signal, read, 2)).rejects.toMatchObject({
    code: 'refused',
    message: 'Too many attempts. No: credentials_rejected. Start over.',
  })
  expect(wrong.questions).toHaveLength(2)
})
