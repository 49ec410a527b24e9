export {
  convertSecrets,
  type ConvertedSecrets,
  type SecretForm,
  type SecretFormOptions,
} from './secret-form.sql.ts'
export { migrateAccounts, type MigrationSettings } from '../kernel/schema/migrations.ts'
