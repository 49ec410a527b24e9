export {
  type ApiDescription,
  type ApiOperation,
  type ApiResponse,
  createOpenApiDocument,
  type JsonObject,
  SCHEMA_REFERENCES,
} from './document.ts'
