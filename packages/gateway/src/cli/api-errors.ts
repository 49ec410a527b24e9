import { PROGRAM } from './command.ts'
import { CliError, EXIT, type ExitCode } from './exit-code.ts'
import type { ServerAddress } from './server-address.ts'

/** An unreachable server means that nothing is configured. */
export const unreachable = (url: string, cause: unknown): CliError =>
  new CliError('unreachable', `Nothing is configured: no Gatepost server answers at ${url}.`, {
    exit: EXIT.unreachable,
    hints: ['Start it with: npm start', 'Another address: --url, or GATEPOST_HOST and GATEPOST_PORT'],
    cause,
  })

export const unexpectedAnswer = (url: string): CliError =>
  new CliError('unexpected_answer', `What answers at ${url} is not Gatepost.`, {
    exit: EXIT.unreachable,
    hints: ['Check --url, or GATEPOST_HOST and GATEPOST_PORT.'],
  })

/** `changes`: whether the call may have done something. */
export const timeoutError = (url: string, afterMs: number, changes: boolean): CliError =>
  new CliError(
    'timeout',
    `The server at ${url} did not answer within ${afterMs / 1000} s.${changes ? ' What was asked may still have been done.' : ''}`,
    { exit: EXIT.unreachable, hints: changes ? [`See what happened: ${PROGRAM} status`] : [] },
  )

const EXIT_BY_CODE: Readonly<Record<string, ExitCode>> = {
  unknown_platform: EXIT.usage,
  user_required: EXIT.usage,
}

const ADVICE: Readonly<Record<string, (platform: string) => string>> = {
  not_running: (platform) => `Run: ${PROGRAM} enable ${platform}`,
  no_credentials: (platform) => `Run: ${PROGRAM} setup ${platform}`,
  no_known_users: () => 'Ask the person to write to the bot first, then try again.',
  no_context: () => 'Ask the person to write to the bot first, then try again.',
  credentials_rejected: (platform) => `Check the token and run: ${PROGRAM} setup ${platform}`,
  credentials_invalid: (platform) => `Run: ${PROGRAM} setup ${platform}`,
  delivery_refused: (platform) => `See why: ${PROGRAM} deliveries ${platform}`,
  delivery_unknown: (platform) => `Look at the chat before you send it again: ${PROGRAM} deliveries ${platform}`,
  delivery_pending: (platform) => `Follow it: ${PROGRAM} deliveries ${platform}`,
  unknown_delivery: (platform) => `List them: ${PROGRAM} deliveries ${platform}`,
  unknown_platform: () => `List them: ${PROGRAM} status`,
  config_broken: () => `Find the place: ${PROGRAM} doctor`,
}

/** What a platform said in its own few words (`Unauthorized`), begun so that it makes a sentence. */
const SPOKEN: Readonly<Record<string, string>> = {
  credentials_rejected: 'The platform does not accept these credentials',
  delivery_refused: 'The platform refused the message',
}

function toSpoken(code: string, sentence: string): string {
  const begun = SPOKEN[code]
  return begun === undefined || sentence.startsWith('The platform') ? sentence : `${begun}: ${endSentence(sentence)}`
}

const endSentence = (text: string): string => (/[.!?)]$/.test(text) ? text : `${text}.`)

/**
 * The error that an answer outside of 200 to 299 means, with what to do about it.
 * @param body     Parsed JSON, `undefined` when it was none.
 * @param platform As it was named; empty when the call was about none.
 */
export function toApiError(server: ServerAddress, status: number, body: unknown, platform: string): CliError {
  if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string')
    return unexpectedAnswer(server.url)
  const code = 'code' in body && typeof body.code === 'string' ? body.code : `http_${status}`
  if (status === 401 || status === 403) {
    return new CliError(code, server.token.found ? body.error : server.token.why, {
      exit: EXIT.unauthorized,
      hints: [
        `Sign in with your own account: ${PROGRAM} login`,
        'Or use the token in the file api-token of the data folder (GATEPOST_DATA_DIR), or in GATEPOST_TOKEN.',
      ],
    })
  }
  const advice = ADVICE[code]
  return new CliError(code, body.error, {
    exit: EXIT_BY_CODE[code] ?? EXIT.failed,
    spoken: toSpoken(code, body.error),
    hints: advice && platform ? [advice(platform)] : [],
  })
}
