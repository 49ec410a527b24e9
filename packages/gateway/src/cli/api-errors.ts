import { PROGRAM } from './command.ts'
import { CliError, EXIT, type ExitCode } from './exit-code.ts'
import type { ServerAddress } from './server-address.ts'

/** Returns the error for a server that can't be reached. */
export const unreachable = (url: string, cause: unknown): CliError =>
  new CliError('unreachable', `Nothing is configured: no Gatepost server is running at ${url}.`, {
    exit: EXIT.unreachable,
    hints: ['Start it: npm start', 'To use another address: --url, or GATEPOST_HOST and GATEPOST_PORT'],
    cause,
  })

/** Returns the error for a response that isn't Gatepost's. */
export const unexpectedAnswer = (url: string): CliError =>
  new CliError('unexpected_answer', `The server at ${url} isn't Gatepost.`, {
    exit: EXIT.unreachable,
    hints: ['Check --url, or GATEPOST_HOST and GATEPOST_PORT.'],
  })

/** Returns the error for a call that timed out. @param changes Whether the call may have had an effect. */
export const timeoutError = (url: string, afterMs: number, changes: boolean): CliError =>
  new CliError(
    'timeout',
    `The server at ${url} didn't respond within ${afterMs / 1000} s.${changes ? ' The request may still have taken effect.' : ''}`,
    { exit: EXIT.unreachable, hints: changes ? [`Check the result: ${PROGRAM} status`] : [] },
  )

const EXIT_BY_CODE: Readonly<Record<string, ExitCode>> = {
  unknown_platform: EXIT.usage,
  user_required: EXIT.usage,
}

const ADVICE: Readonly<Record<string, (platform: string) => string>> = {
  not_running: (platform) => `Run: ${PROGRAM} enable ${platform}`,
  no_credentials: (platform) => `Run: ${PROGRAM} setup ${platform}`,
  no_known_users: () => 'Ask the person to message the bot first, then try again.',
  no_context: () => 'Ask the person to message the bot first, then try again.',
  credentials_rejected: (platform) => `Check the token and run: ${PROGRAM} setup ${platform}`,
  credentials_invalid: (platform) => `Run: ${PROGRAM} setup ${platform}`,
  delivery_refused: (platform) => `See why: ${PROGRAM} deliveries ${platform}`,
  delivery_unknown: (platform) => `Check the chat before you send it again: ${PROGRAM} deliveries ${platform}`,
  delivery_pending: (platform) => `Follow it: ${PROGRAM} deliveries ${platform}`,
  unknown_delivery: (platform) => `List them: ${PROGRAM} deliveries ${platform}`,
  unknown_platform: () => `List them: ${PROGRAM} status`,
  config_broken: () => `Find the error: ${PROGRAM} doctor`,
}

/** Prefixes that turn a platform's terse error, e.g. `Unauthorized`, into a sentence. */
const SPOKEN: Readonly<Record<string, string>> = {
  credentials_rejected: 'The platform rejected the credentials',
  delivery_refused: 'The platform refused the message',
}

function toSpoken(code: string, sentence: string): string {
  const begun = SPOKEN[code]
  return begun === undefined || sentence.startsWith('The platform') ? sentence : `${begun}: ${endSentence(sentence)}`
}

const endSentence = (text: string): string => (/[.!?)]$/.test(text) ? text : `${text}.`)

/**
 * Returns the error for a response with a status outside 200 to 299, with advice.
 * @param body     Parsed JSON; `undefined` if the body isn't JSON.
 * @param platform As the user named it; empty if the call concerns no platform.
 */
export function toApiError(server: ServerAddress, status: number, body: unknown, platform: string): CliError {
  if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string')
    return unexpectedAnswer(server.url)
  const code = 'code' in body && typeof body.code === 'string' ? body.code : `http_${status}`
  if (status === 401 || status === 403) {
    return new CliError(code, server.token.found ? body.error : server.token.why, {
      exit: EXIT.unauthorized,
      hints: [
        `Sign in with your account: ${PROGRAM} login`,
        'Or use the owner token: file api-token in the data folder (GATEPOST_DATA_DIR), or GATEPOST_TOKEN.',
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
