import type { ConvertedSecrets, SecretForm } from '@gatepost/auth/adoption'
import { join } from 'node:path'
import { toCliError } from './check-database.ts'
import { PROGRAM, type Command } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { jsonText, pairs } from '../text.ts'
import { loadConfiguration } from './serve.ts'

interface Args {
  readonly url: string | null
  readonly json: boolean
}

/** The command `gatepost auth seal`. */
export const authSeal = secretFormCommand(
  'seal',
  'sealed',
  'encrypt the secrets of an adopted site; it can no longer read them',
)

/** The command `gatepost auth unseal`. */
export const authUnseal = secretFormCommand(
  'unseal',
  'plain',
  "store secrets so that an adopted site's old software reads them",
)

function secretFormCommand(name: 'seal' | 'unseal', form: SecretForm, summary: string): Command<Args> {
  return {
    name: `auth ${name}`,
    summary,
    examples: [`${PROGRAM} auth ${name}`, `${PROGRAM} auth ${name} postgres://owner@db.example.org/site`],
    args: {
      url: {
        kind: 'optional',
        describe:
          "postgres://… (password in PGPASSWORD), or the path of an SQLite file; by default, the service's database",
      },
      json: { kind: 'flag', describe: 'print the result as JSON' },
    },
    async run({ url, json }, io) {
      const converted = await convert(url, form, io)
      io.out.write(json ? jsonText(converted) : resultText(converted, form, io))
      return converted.unreadable === 0 ? EXIT.ok : EXIT.failed
    },
  }
}

/** @throws {CliError} `config_invalid`, `database_foreign`, `database_unavailable` */
async function convert(url: string | null, form: SecretForm, io: Io): Promise<ConvertedSecrets> {
  const config = await loadConfiguration(io.env)
  const { convertSecrets } = await import('@gatepost/auth/adoption')
  const { ownSecretKeys } = await import('../../data-folder.ts')
  const { openExistingDatabase } = await import('../../accounts/existing-database.ts')
  try {
    const [newest, ...older] = config.secretKeys ?? (await ownSecretKeys(config.dataDir))
    const where = url ?? config.databaseUrl?.reveal() ?? join(config.dataDir, 'gatepost.db')
    const database = await openExistingDatabase(where)
    try {
      return await convertSecrets({ database, secretKey: [newest.reveal(), ...older.map((key) => key.reveal())] }, form)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw await toCliError(error)
  }
}

function resultText({ authenticators, apps, tokens, unreadable }: ConvertedSecrets, form: SecretForm, io: Io): string {
  const verb = form === 'sealed' ? 'Encrypted' : 'Decrypted'
  const facts = pairs(
    [
      [`${verb} authenticators`, String(authenticators)],
      [`${verb} social login apps`, String(apps)],
      [`${verb} provider tokens`, String(tokens)],
      ...(unreadable === 0 ? [] : [['Rows encrypted with another key, unchanged', String(unreadable)] as const]),
    ],
    io.out,
  )
  return `${facts}\nRestart the service, so that it stores new secrets in the same form.\n`
}
