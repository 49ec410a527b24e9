import type { SetupView } from '@gatepost/channels'
import { type FakeAnswer, NOW, success } from './fake-server.ts'

/** A set-up that asks for a bot token, as the service tells of it. */
export const ASKING: SetupView = {
  id: 's1',
  platform: 'telegram',
  kind: 'paste',
  title: 'Paste a bot token',
  instructions: ['Open https://t.me/BotFather in Telegram and send /newbot.'],
  state: 'input_needed',
  version: 1,
  message: 'Paste the bot token.',
  url: 'https://t.me/BotFather',
  codes: 0,
  started_at: NOW,
  expires_at: null,
  fields: [{ name: 'bot_token', label: 'the bot token', secret: true }],
  facts: {},
  saved: false,
  first_user: null,
  error: null,
}

/** @param outcomes What the service says to each answer of the person, in turn. */
export function fakeSetup(outcomes: readonly Partial<SetupView>[]): Readonly<Record<string, FakeAnswer>> {
  const { kind, title, instructions } = ASKING
  return {
    'GET /api/channels/telegram/setup': success({ ways: [{ kind, title, instructions }] }),
    'POST /api/channels/telegram/setup': success(ASKING),
    'POST /api/channels/telegram/setup/s1': (asked) =>
      success({ ...ASKING, version: asked + 2, ...outcomes[Math.min(asked, outcomes.length - 1)] }),
  }
}

/** The token was accepted and saved. */
export const ACCEPTED: Partial<SetupView> = { state: 'done', saved: true, message: 'Connected.', fields: [] }
