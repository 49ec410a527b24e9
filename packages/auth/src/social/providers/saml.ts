import type { SamlRecord } from '../saml/record.ts'

/** SAML 2.0, one app for each organisation. */
export const saml = {
  id: 'saml',
  name: 'SAML',
  protocol: 'saml',
  source: 'https://docs.oasis-open.org/security/saml/v2.0/saml-profiles-2.0-os.pdf',
  attributes: {
    uid: ['urn:oasis:names:tc:SAML:attribute:subject-id'],
    email: ['urn:oid:0.9.2342.19200300.100.1.3', 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'],
    email_verified: ['http://schemas.auth0.com/email_verified'],
    first_name: ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname', 'urn:oid:2.5.4.42'],
    last_name: ['urn:oid:2.5.4.4'],
    username: ['http://schemas.auth0.com/nickname'],
  },
} satisfies SamlRecord
