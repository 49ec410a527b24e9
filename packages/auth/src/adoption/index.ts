export {
  convertSecrets,
  type ConvertedSecrets,
  type SecretForm,
  type SecretFormOptions,
} from './secret-form.sql.ts'
