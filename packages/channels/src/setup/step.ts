import { SetupFailure, type SetupStep } from './guide.ts'

/** Well within what a code holds that can be scanned from a screen, in bytes. */
const MOST_BYTES = 2_000
/** Blanks and control characters would be lines and commands where a terminal shows it. */
const UNPRINTABLE = /[\s\p{C}]/u

/**
 * A step whose address may be shown to a person, whoever named it.
 * @throws {SetupFailure} `unreachable` when it is no http or https address that a code holds
 */
export function checkedStep(step: SetupStep): SetupStep {
  if (step.url === undefined || isShowable(step.url)) return step
  throw new SetupFailure('unreachable', 'The platform gave no address that could be shown.')
}

function isShowable(url: string): boolean {
  if (Buffer.byteLength(url) > MOST_BYTES || UNPRINTABLE.test(url)) return false
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}
