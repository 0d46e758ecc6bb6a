"""The plugins that come with ironhive, found through entry points like anyone's."""
