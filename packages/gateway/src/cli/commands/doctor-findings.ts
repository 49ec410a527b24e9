import type { Diagnosis } from '@gatepost/channels'
import { PROGRAM } from '../command.ts'

interface At {
  readonly path: string
}
interface WithMode extends At {
  /** Permission bits, octal. */
  readonly mode: string
}
interface Failure {
  /** Code of the error. */
  readonly code: string
  readonly words: string
}

/** English texts of a finding. */
interface FindingTexts<V> {
  readonly detail: (values: V) => string
  /** `null` when there is nothing to do. */
  readonly remedy: ((values: V) => string) | null
}

const texts = <V = object>(
  detail: (values: V) => string,
  remedy: FindingTexts<V>['remedy'] = null,
): FindingTexts<V> => ({
  detail,
  remedy,
})

const CHECK_SERVER_LOG = "Check the server's log."
const takeOwnership = (path: string, options = ''): string =>
  `Make the user that runs Gatepost its owner: chown ${options}"$USER" ${path}`

/**
 * What the command's own checks can find: the English detail and remedy for each code. As in the doctor of the channels, a
 * code means the same in every check and is never reused.
 */
const FINDINGS = {
  // this machine
  node_supported: texts(({ version }: { readonly version: string }) => version),
  node_unsupported: texts(
    ({ version }: { readonly version: string; readonly wanted: string }) => version,
    ({ wanted }) => `Gatepost needs ${wanted}: npm ci --include=optional`,
  ),
  settings_valid: texts(() => 'understood'),
  settings_doubtful: texts(({ warnings }: { readonly warnings: readonly string[] }) => warnings.join(' ')),
  settings_invalid: texts(
    ({ problems }: { readonly problems: readonly string[] }) => problems.join(' '),
    () => "Fix the server's environment variables.",
  ),
  folder_missing: texts(({ path }: At) => `${path} will be created when the server first starts`),
  folder_private: texts(({ path, mode }: WithMode) => `${path} (${mode})`),
  folder_exposed: texts(
    ({ path, mode }: WithMode) => `other users can access ${path} (${mode})`,
    ({ path }) => `chmod 700 ${path}`,
  ),
  folder_inaccessible: texts(
    ({ path, error }: At & { readonly error: string }) => `${path}: ${error}`,
    ({ path }) => `chmod 700 ${path}`,
  ),
  folder_not_writable: texts(
    ({ path }: At) => `${path} isn't writable`,
    ({ path }) => takeOwnership(path, '-R '),
  ),
  no_token_file: texts((_values: At) => 'made at the first start of the server'),
  no_config_file: texts((_values: At) => 'no channel configured yet'),
  file_private: texts(({ path, mode }: WithMode) => `${path} (${mode})`),
  file_exposed: texts(
    ({ path, mode }: WithMode) => `other users can access ${path} (${mode})`,
    ({ path }) => `chmod 600 ${path}`,
  ),
  file_inaccessible: texts(
    ({ path, error }: At & { readonly error: string }) => `${path}: ${error}`,
    ({ path }) => takeOwnership(path),
  ),
  file_unreadable: texts(
    ({ path }: At) => `${path} isn't readable`,
    ({ path }) => takeOwnership(path),
  ),
  config_in_database: texts(() => 'stored encrypted in the database'),
  // the server
  gatepost_responds: texts((_values: { readonly url: string }) => 'responds'),
  gatepost_unhealthy: texts(
    ({ status }: { readonly url: string; readonly status: number }) => `/healthz returned status ${status}`,
    () => CHECK_SERVER_LOG,
  ),
  gatepost_unreachable: texts(
    ({ url }: { readonly url: string }) => `no response from ${url}`,
    () => 'Start it with npm start, or pass another address with --url.',
  ),
  owner_token_accepted: texts(() => 'accepted'),
  owner_token_rejected: texts(
    ({ words }: Failure) => words,
    () => "Use the server's GATEPOST_DATA_DIR, or set GATEPOST_TOKEN.",
  ),
  channels_unreadable: texts(
    ({ words }: Failure) => words,
    ({ code }) =>
      code === 'unexpected_answer' ? 'Check the address. Another service is running there.' : CHECK_SERVER_LOG,
  ),
  clocks_agree: texts((_values: { readonly seconds: number }) => 'in sync with the server'),
  clocks_differ: texts(
    ({ seconds }: { readonly seconds: number }) => `the server's clock is off by ${seconds} s`,
    () => 'Sync both clocks with a time server (NTP). Platforms reject requests with a wrong time.',
  ),
  clock_unknown: texts(() => "the server didn't send its time"),
  // the platforms
  checks_unavailable: texts(
    ({ words }: Failure) => words,
    () => `Run: ${PROGRAM} status`,
  ),
} as const

type Findings = typeof FINDINGS
type CliFindingCode = keyof Findings
type ValuesOf<C extends CliFindingCode> = Parameters<Findings[C]['detail']>[0]

/** The parts of a check that depend on what it found. */
type Result = Pick<Diagnosis, 'detail' | 'remedy'> & Required<Pick<Diagnosis, 'finding' | 'values'>>

/** Returns a finding with its English detail and remedy. */
export function toCliFinding<C extends CliFindingCode>(finding: C, values: ValuesOf<C>): Result {
  const { detail, remedy } = FINDINGS[finding] as FindingTexts<ValuesOf<C>> // its values belong to this code
  const result = { detail: detail(values), finding, values: { ...values } as Result['values'] } // of these types above
  return remedy === null ? result : { ...result, remedy: remedy(values) }
}

/**
 * Returns the finding for a configuration file that can't be parsed. Its code and remedy are those of the doctor of the
 * channels, which is only loaded here: the other commands start without it.
 */
export async function toBrokenConfig(message: string): Promise<Result> {
  const { CHANNEL_ERRORS } = await import('@gatepost/channels')
  return { detail: message, finding: 'config_broken', values: { message }, remedy: CHANNEL_ERRORS.config_broken.remedy }
}
