import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pinned from '../../bin/pinned-node.cjs'
import { dataFolder, tokenFile } from './server-address.ts'
import type { Diagnosis } from '@gatepost/channels'
import type { Io } from './io.ts'

/** What can be checked without a server. Never throws for what it finds. */
export async function localChecks(io: Io): Promise<readonly Diagnosis[]> {
  const folder = dataFolder(io.env)
  const checks = [nodeCheck(io.nodeVersion), await settingsCheck(io.env), await folderCheck(folder)]
  if (!io.env['GATEPOST_TOKEN'])
    checks.push(
      await fileCheck('token_file', 'Owner token file', tokenFile(io.env), 'made at the first start of the server'),
    )
  checks.push(await configurationCheck(folder, io.env))
  return checks
}

function nodeCheck(version: string): Diagnosis {
  const check = { id: 'node', title: 'Node', detail: version } as const
  if (pinned.isRightVersion(version)) return { ...check, status: 'pass' }
  return { ...check, status: 'fail', remedy: `Gatepost needs ${pinned.WANTED}: npm ci --include=optional` }
}

async function settingsCheck(env: Io['env']): Promise<Diagnosis> {
  const check = { id: 'settings', title: 'Settings' } as const
  const { readConfig, ConfigError } = await import('../config/config.ts')
  try {
    const { warnings } = readConfig(env)
    if (warnings.length === 0) return { ...check, status: 'pass', detail: 'understood' }
    return { ...check, status: 'warn', detail: warnings.join(' ') }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      ...check,
      status: 'fail',
      detail: error.problems.join(' '),
      remedy: 'Correct the environment of the server.',
    }
  }
}

async function folderCheck(folder: string): Promise<Diagnosis> {
  const check = { id: 'data_folder', title: 'Data folder' } as const
  const mode = await modeOf(folder)
  if (mode === 'missing')
    return { ...check, status: 'pass', detail: `${folder} is made at the first start of the server` }
  if (typeof mode === 'string')
    return { ...check, status: 'fail', detail: `${folder}: ${mode}`, remedy: `chmod 700 ${folder}` }
  if ((mode & 0o077) !== 0) {
    return {
      ...check,
      status: 'fail',
      detail: `${folder} is open to others (${octal(mode)})`,
      remedy: `chmod 700 ${folder}`,
    }
  }
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return {
      ...check,
      status: 'fail',
      detail: `${folder} cannot be written to`,
      remedy: `Give it to the user that runs Gatepost: chown -R "$USER" ${folder}`,
    }
  }
  return { ...check, status: 'pass', detail: `${folder} (${octal(mode)})` }
}

/** The file with the credentials of the owner's channels: closed to others, and read as the server reads it. */
async function configurationCheck(folder: string, env: Io['env']): Promise<Diagnosis> {
  if (env['GATEPOST_DATABASE_URL']) {
    return { id: 'config_file', title: 'Configuration', status: 'pass', detail: 'kept in the database, sealed' }
  }
  const path = join(folder, 'accounts', 'owner', 'channels.yml')
  const found = await fileCheck('config_file', 'Configuration', path, 'nothing is configured yet')
  return found.status === 'pass' ? parsedCheck(found, path) : found
}

async function parsedCheck(found: Diagnosis, path: string): Promise<Diagnosis> {
  const { ChannelError, parseChannelFile } = await import('@gatepost/channels')
  try {
    parseChannelFile(await readFile(path, 'utf8'), path)
    return found
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    const remedy = 'Mend the file at the place named here, or move it away and set the channels up again.'
    return { ...found, status: 'fail', detail: error.message, remedy }
  }
}

/** A file that only its owner may read. */
async function fileCheck(id: string, title: string, path: string, missing: string): Promise<Diagnosis> {
  const check = { id, title } as const
  const mode = await modeOf(path)
  if (mode === 'missing') return { ...check, status: 'warn', detail: missing }
  if (typeof mode === 'string')
    return {
      ...check,
      status: 'fail',
      detail: `${path}: ${mode}`,
      remedy: `Give it to the user that runs Gatepost: chown "$USER" ${path}`,
    }
  if ((mode & 0o077) !== 0) {
    return {
      ...check,
      status: 'fail',
      detail: `${path} is open to others (${octal(mode)})`,
      remedy: `chmod 600 ${path}`,
    }
  }
  try {
    await access(path, constants.R_OK)
  } catch {
    return {
      ...check,
      status: 'fail',
      detail: `${path} cannot be read`,
      remedy: `Give it to the user that runs Gatepost: chown "$USER" ${path}`,
    }
  }
  return { ...check, status: 'pass', detail: `${path} (${octal(mode)})` }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

/** Permission bits, `missing`, or the system's word for why they cannot be had. On Windows nobody else counts. */
async function modeOf(path: string): Promise<number | 'missing' | (string & {})> {
  try {
    const { mode } = await stat(path)
    return process.platform === 'win32' ? mode & 0o700 : mode & 0o777
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : String(error.code)
  }
}
